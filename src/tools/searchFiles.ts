import * as v from 'valibot';
import { type AnyTool, defineTool } from './tool';
import type { TextMatch, WorkspaceFiles } from './workspaceFiles';
import type { WorkspacePaths } from './workspacePaths';

const maxMatches = 200;
const maxLineLength = 300;

/** Searches the text of all files below the open folders. */
export function searchFilesTool(files: WorkspaceFiles, paths: WorkspacePaths): AnyTool {
  return defineTool({
    name: 'search_files',
    description: `Searches the text of the files in the open folder and returns matching lines grouped by file ("<line number>: <text>"). Ignores files that the repository ignores. Returns at most ${maxMatches} matches.`,
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Text to look for, or a regular expression when is_regex is true.' },
        is_regex: { type: 'boolean', description: 'Read the query as a regular expression.' },
        case_sensitive: { type: 'boolean' },
        include: { type: 'string', description: 'Glob that file paths must match, e.g. "src/**/*.ts".' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    schema: v.object({
      query: v.pipe(v.string(), v.nonEmpty('is empty')),
      is_regex: v.optional(v.boolean(), false),
      case_sensitive: v.optional(v.boolean(), false),
      include: v.optional(v.string()),
    }),
    readOnly: true,
    run: async (input, signal) => {
      if (files.roots().length === 0) {
        return { outcome: 'failed', text: 'No folder is open in the editor, so there is nothing to search. Ask the person to open a folder.' };
      }
      const problem = input.is_regex ? expressionProblem(input.query) : null;
      if (problem !== null) return { outcome: 'failed', text: `The regular expression is not valid: ${problem}` };
      const include = input.include === undefined || input.include.trim() === '' ? null : input.include;
      const result = await files.searchText(
        { query: input.query, isRegularExpression: input.is_regex, caseSensitive: input.case_sensitive, include, maxMatches },
        signal,
      );
      const byFile = groupByFile(result.matches, paths);
      const details = {
        query: input.query,
        matches: result.matches.length,
        files: byFile.size,
        limited: result.limited,
        hits: result.matches.slice(0, 50).map((match) => ({ path: paths.display(match.path), line: match.line })),
      };
      if (result.matches.length === 0) return { outcome: 'done', text: `No line matches ${JSON.stringify(input.query)}.`, details };
      const text = [...byFile].map(([file, rows]) => `${file}\n${rows.join('\n')}`).join('\n\n');
      return { outcome: 'done', text: result.limited ? `${text}\n\n(Only the first ${result.matches.length} matches are listed. Narrow the query or use include.)` : text, details };
    },
  });
}

function groupByFile(matches: readonly TextMatch[], paths: WorkspacePaths): ReadonlyMap<string, readonly string[]> {
  const byFile = new Map<string, string[]>();
  for (const match of matches) {
    const file = paths.display(match.path);
    const rows = byFile.get(file) ?? [];
    const text = match.text.trim();
    rows.push(`${match.line}: ${text.length > maxLineLength ? `${text.slice(0, maxLineLength)} …` : text}`);
    byFile.set(file, rows);
  }
  return byFile;
}

function expressionProblem(query: string): string | null {
  try {
    new RegExp(query);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
