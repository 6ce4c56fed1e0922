import { AccessPaths } from './accessPaths';
import { ReadAccess } from './readAccess';
import { readFileTool } from './readFile';
import { type DeniesReading, type ReadDenials, type WithheldFor, withheldFor } from './secretFiles';
import { type AnyTool, defineTool, done, failed } from './tool';
import type { WorkspaceFiles, TextMatch } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';
import * as v from 'valibot';
import { errorMessage } from '../base/errorMessage';

const maxFiles = 200;

/** Finds files by their names. */
function globFilesTool(files: WorkspaceFiles, paths: WorkspacePaths, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'glob_files',
    description:
      'Finds files by a glob over their paths ("src/**/*.test.ts", "*.md", "**/config.{js,json}"), newest first. ' +
      `Leaves out what the repository ignores. Returns at most ${maxFiles} paths.`,
    schema: v.object({
      pattern: v.pipe(
        v.string(),
        v.trim(),
        v.nonEmpty('is empty'),
        v.description('Glob. Without a slash it matches names in every folder.'),
      ),
      path: v.optional(v.pipe(v.string(), v.description('Folder; everywhere without it.'))),
      order: v.optional(v.pipe(v.picklist(['modified', 'name']), v.description('Default: modified.')), 'modified'),
    }),
    readOnly: true,
    asks: async (input) => (isFolderNamed(input.path) ? access.asks(input, input.path) : null),
    run: async (input, signal) => {
      if (!isFolderNamed(input.path) && files.roots().length === 0) {
        return failed(
          'No folder is open in the editor, so there are no files to find. Ask the person to open a folder.',
        );
      }
      const folder = isFolderNamed(input.path) ? await access.place(input, input.path) : null;
      if (folder !== null && (await files.kindOf(folder.path)) !== 'directory')
        return failed(`${folder.shown} is a file, not a folder.`);
      const found = await files.findFiles(
        { pattern: input.pattern, order: input.order, maxFiles, ...(folder === null ? {} : { folder: folder.path }) },
        signal,
      );
      const shown = found.paths.map((path) => paths.display(path));
      const details = {
        pattern: input.pattern,
        files: shown.length,
        limited: found.limited,
        paths: shown.slice(0, 50),
      };
      if (shown.length === 0)
        return done(
          `No file matches ${JSON.stringify(input.pattern)}${folder === null ? '' : ` in ${folder.shown}`}.`,
          details,
        );
      const note = found.limited ? `\n\n(Only the first ${shown.length} are listed. Narrow the pattern.)` : '';
      return done(shown.join('\n') + note, details);
    },
  });
}

/** Models send "" or "." when they mean everywhere. */
function isFolderNamed(path: string | undefined): path is string {
  return path !== undefined && !['', '.', './'].includes(path.trim());
}

const maxMatches = 200;
const maxLineLength = 300;

/** Searches the text of all files below the open folders. */
function searchFilesTool(denials: ReadDenials, paths: WorkspacePaths, access: ReadAccess): AnyTool {
  const { files } = denials;
  return defineTool({
    name: 'search_files',
    description:
      'Searches the text of files and returns matching lines grouped by file ("<line number>: <text>"). Ignores ' +
      `files that the repository ignores. Returns at most ${maxMatches} matches.`,
    schema: v.object({
      query: v.pipe(
        v.string(),
        v.nonEmpty('is empty'),
        v.description('Text to look for, or a regular expression when is_regex is true.'),
      ),
      is_regex: v.optional(v.boolean(), false),
      case_sensitive: v.optional(v.boolean(), false),
      path: v.optional(v.pipe(v.string(), v.description('Folder; everywhere without it.'))),
      include: v.optional(v.pipe(v.string(), v.description('Glob that file paths must match, e.g. "src/**/*.ts".'))),
    }),
    readOnly: true,
    asks: async (input) => (isFolderNamed(input.path) ? access.asks(input, input.path) : null),
    run: async (input, signal) => {
      if (!isFolderNamed(input.path) && files.roots().length === 0) {
        return failed(
          'No folder is open in the editor, so there is nothing to search. Ask the person to open a folder.',
        );
      }
      const problem = input.is_regex ? expressionProblem(input.query) : null;
      if (problem !== null) return failed(`The regular expression is not valid: ${problem}`);
      const include = input.include === undefined || input.include.trim() === '' ? null : input.include;
      const folder = isFolderNamed(input.path) ? await access.place(input, input.path) : null;
      if (folder !== null && (await files.kindOf(folder.path)) !== 'directory')
        return failed(`${folder.shown} is a file. Use read_file to read it, or include to search it.`);
      const found = await files.searchText(
        {
          query: input.query,
          isRegularExpression: input.is_regex,
          caseSensitive: input.case_sensitive,
          include,
          maxMatches,
          ...(folder === null ? {} : { folder: folder.path }),
        },
        signal,
      );
      const kept = await withheldAmong(denials, found.matches);
      const result = { limited: found.limited, matches: found.matches.filter(({ path }) => !kept.has(path)) };
      const withheld = withheldNote(kept, paths);
      const byFile = groupByFile(result.matches, paths);
      const details = {
        query: input.query,
        matches: result.matches.length,
        files: byFile.size,
        limited: result.limited,
        hits: result.matches.slice(0, 50).map((match) => ({ path: paths.display(match.path), line: match.line })),
      };
      if (result.matches.length === 0)
        return done(`No line matches ${JSON.stringify(input.query)}.${withheld}`, details);
      const text = [...byFile].map(([file, rows]) => `${file}\n${rows.join('\n')}`).join('\n\n');
      const more = result.limited
        ? `\n\n(Only the first ${result.matches.length} matches are listed. Narrow the query or use include.)`
        : '';
      return done(text + more + withheld, details);
    },
  });
}

/** Note about withheld matches. Searching does not ask for approval, so matches in files that may hold secrets, or
 *  that a rule denies reading, are not shown. */
function withheldNote(kept: ReadonlyMap<string, WithheldFor>, paths: WorkspacePaths): string {
  const shown = (reason: WithheldFor): string =>
    [...kept]
      .filter(([, each]) => each === reason)
      .slice(0, 10)
      .map(([path]) => paths.display(path))
      .join(', ');
  const [secrets, denied] = [shown('secrets'), shown('rule')];
  return [
    secrets === ''
      ? ''
      : `\n\n(Matching lines are not shown of files that may hold secrets: ${secrets}. read_file asks the person ` +
        'for one.)',
    denied === '' ? '' : `\n\n(Matching lines are withheld of files that a rule denies reading: ${denied}.)`,
  ].join('');
}

async function withheldAmong(
  denials: ReadDenials,
  matches: readonly TextMatch[],
): Promise<ReadonlyMap<string, WithheldFor>> {
  const paths = [...new Set(matches.map(({ path }) => path))];
  const judged = await Promise.all(paths.map(async (path) => [path, await withheldFor(denials, path)] as const));
  return new Map(judged.flatMap(([path, reason]) => (reason === null ? [] : [[path, reason] as const])));
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
    return errorMessage(error);
  }
}

const maxEntries = 1000;

/** Lists one folder: subfolders first, each with a slash. */
function listDirectoryTool(files: WorkspaceFiles, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'list_directory',
    description:
      'Lists the files and folders directly inside a folder, folders first and marked with "/". Returns at most ' +
      `${maxEntries} entries.`,
    schema: v.object({
      path: v.optional(v.pipe(v.string(), v.description('Relative to the open folder; "." for itself.')), '.'),
    }),
    readOnly: true,
    asks: async (input) => (asksForRoots(files, input.path) ? null : access.asks(input, input.path)),
    run: async (input, signal) => {
      const roots = files.roots();
      if (asksForRoots(files, input.path))
        return done(roots.map((root) => `${root.name}/`).join('\n'), { path: '.', entries: roots.length });
      const { path, shown } = await access.place(input, input.path);
      if ((await files.kindOf(path)) !== 'directory') return failed(`${shown} is a file. Use read_file to read it.`);
      const entries = [...(await files.list(path, signal))].sort(
        (left, right) =>
          Number(right.kind === 'directory') - Number(left.kind === 'directory') || (left.name < right.name ? -1 : 1),
      );
      const rows = entries
        .slice(0, maxEntries)
        .map((entry) => (entry.kind === 'directory' ? `${entry.name}/` : entry.name));
      const more =
        entries.length > maxEntries ? `\n\n(${entries.length - maxEntries} more entries are not listed.)` : '';
      return done(rows.length === 0 ? `${shown} is empty.` : rows.join('\n') + more, {
        path: shown,
        entries: entries.length,
      });
    },
  });
}

/** Several open folders have no common folder that could be listed. */
function asksForRoots(files: WorkspaceFiles, path: string): boolean {
  return files.roots().length > 1 && !isFolderNamed(path);
}

/** Tools that only read. Inside the open folders they need no approval; for other places and for secrets, the
 *  approval policy decides. */
export function readOnlyTools(files: WorkspaceFiles, deniesReading: DeniesReading): readonly AnyTool[] {
  const paths = new WorkspacePaths(files);
  const access = new ReadAccess(files, new AccessPaths(files));
  return [
    readFileTool(files, access),
    listDirectoryTool(files, access),
    globFilesTool(files, paths, access),
    searchFilesTool({ files, deniesReading }, paths, access),
  ];
}
