import * as v from 'valibot';
import { withheldByRule, withheldFor } from '../secretFiles';
import { type AnyTool, defineTool, done } from '../tool';
import { type CodeSymbol, type Problem, severities, type Severity } from './editorKnowledge';
import { askedFile, describePlaces, inTime, type KnowledgeDeps } from './knowledgeSources';

const mostRows = 300;
const longestMessage = 500;
const longestSelection = 4000;

/** Tools for the editor's information about files, the workspace, and the user's open editors. */
export function overviewTools(deps: KnowledgeDeps): readonly AnyTool[] {
  return [diagnosticsTool(deps), documentSymbolsTool(deps), workspaceSymbolsTool(deps), openEditorsTool(deps)];
}

function diagnosticsTool(deps: KnowledgeDeps): AnyTool {
  const { editor, paths } = deps;
  return defineTool({
    name: 'diagnostics',
    description:
      'Lists the problems that the editor knows of (compilers, linters), errors first; of one file or folder, or ' +
      `of the workspace. Most languages report only files that are open or were checked. At most ${mostRows}.`,
    schema: v.object({
      path: v.optional(v.pipe(v.string(), v.description('File or folder. Leave it out for all.'))),
      severity: v.optional(
        v.pipe(v.picklist(severities), v.description('The least severe to list. Default: warning.')),
        'warning',
      ),
    }),
    readOnly: true,
    run: async ({ path, severity }) => {
      const within =
        path === undefined || path.trim() === '' || path.trim() === '.' ? null : await paths.resolveExisting(path);
      const known = editor
        .problems(null)
        .filter(
          (problem) =>
            paths.display(problem.path) !== problem.path &&
            (within === null || isWithin(paths.display(within), paths.display(problem.path))),
        );
      const wanted = sorted(known.filter((problem) => rank(problem.severity) <= rank(severity)));
      const where = within === null ? 'the open folders' : paths.display(within);
      if (wanted.length === 0)
        return done(`The editor knows of no problems in ${where} (${severity} or worse).`, { problems: 0 });
      const more = wanted.length > mostRows ? `\n\n(${wanted.length - mostRows} more are not listed.)` : '';
      return done((await problemRows(deps, wanted.slice(0, mostRows))).join('\n') + more, { problems: wanted.length });
    },
  });
}

function documentSymbolsTool(deps: KnowledgeDeps): AnyTool {
  return defineTool({
    name: 'document_symbols',
    description:
      'Outlines one file: its classes, functions and so on with their lines, through the language extension of ' +
      'the file.',
    schema: v.object({
      path: v.pipe(v.string(), v.nonEmpty('is empty'), v.description('Relative to the open folder.')),
    }),
    readOnly: true,
    run: async (input, signal) => {
      const { path } = await askedFile(deps, input.path, signal);
      const symbols = await inTime(deps, deps.editor.documentSymbols(path), signal);
      const rows = outline(symbols ?? [], 0);
      const shown = deps.paths.display(path);
      if (rows.length === 0)
        return done(
          `No symbols of ${shown} are known. The language may have no extension here, or it is still starting.`,
          { found: 0 },
        );
      const more = rows.length > mostRows ? `\n\n(${rows.length - mostRows} more are not listed.)` : '';
      return done(`${shown}\n${rows.slice(0, mostRows).join('\n')}${more}`, { path: shown, found: rows.length });
    },
  });
}

function workspaceSymbolsTool(deps: KnowledgeDeps): AnyTool {
  return defineTool({
    name: 'workspace_symbols',
    description: 'Finds classes, functions and so on by name across the open folders, through the language extensions.',
    schema: v.object({ query: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty')) }),
    readOnly: true,
    run: async ({ query }, signal) => {
      const symbols = await inTime(deps, deps.editor.workspaceSymbols(query), signal);
      const inside = symbols.filter(({ place }) => deps.paths.display(place.path) !== place.path);
      if (inside.length === 0)
        return done(`No symbol named like "${query}" is known in the open folders. search_files finds text.`, {
          found: 0,
        });
      const listed = inside.slice(0, mostRows);
      const places = await describePlaces(
        deps,
        listed.map(({ place }) => place),
        signal,
      );
      const rows = listed.map(
        ({ kind, name, container }, index) =>
          `${kind} ${name}${container === '' ? '' : ` (${container})`}  ${places[index] ?? ''}`,
      );
      return done(
        rows.join('\n') + (inside.length > mostRows ? `\n\n(${inside.length - mostRows} more are not listed.)` : ''),
        { found: inside.length },
      );
    },
  });
}

function openEditorsTool(deps: KnowledgeDeps): AnyTool {
  const { editor, paths } = deps;
  return defineTool({
    name: 'open_editors',
    description: 'Lists what the person has open in the editor, which of it is in use, and what is selected there.',
    schema: v.object({}),
    readOnly: true,
    run: async () => {
      const { editors, selection } = editor.openEditors();
      const rows = editors
        .slice(0, mostRows)
        .map((open) =>
          [
            open.isFile ? paths.display(open.path) : open.path,
            ...(open.isActive ? ['(in use)'] : []),
            ...(open.hasUnsavedChanges ? ['(unsaved changes)'] : []),
          ].join(' '),
        );
      if (rows.length === 0) return done('Nothing is open in the editor.', { editors: 0 });
      if (selection === null) return done(rows.join('\n'), { editors: editors.length });
      const { path, isFile, startLine, endLine, text } = selection;
      const shown = isFile ? paths.display(path) : path;
      const place = `${shown}:${startLine}${endLine === startLine ? '' : `-${endLine}`}`;
      // Hide a selection outside the open folders, in a file with secrets, or in a file that a rule denies: the model
      // must ask to read it.
      const isOpen = text !== '' && (!isFile || (shown !== path && (await withheldFor(deps, path)) === null));
      const quoted =
        text.length > longestSelection
          ? `${text.slice(0, longestSelection).toWellFormed()} … (${text.length} characters)`
          : text;
      const note = isOpen
        ? `Selected: ${place}\n${quoted}`
        : `${text === '' ? 'Cursor' : 'Selected (text not shown)'}: ${place}`;
      return done(`${rows.join('\n')}\n\n${note}`, { editors: editors.length });
    },
  });
}

/** Messages quote the file, so hide those of a withheld file. */
async function problemRows(deps: KnowledgeDeps, problems: readonly Problem[]): Promise<readonly string[]> {
  const files = [...new Set(problems.map(({ path }) => path))];
  const withheld = new Map(
    await Promise.all(files.map(async (path) => [path, await withheldFor(deps, path)] as const)),
  );
  return problems.map((problem) => {
    const { path, line, column, severity } = problem;
    const shown = deps.paths.display(path);
    const reason = withheld.get(path) ?? null;
    if (reason === null) return problemLine(problem, shown);
    return (
      `${shown}:${line}:${column} ${severity} ` +
      `(${reason === 'rule' ? withheldByRule : 'withheld: the file may hold secrets'})`
    );
  });
}

/** `path:line:column severity message (source)` */
export function problemLine({ line, column, severity, message, source }: Problem, shown: string): string {
  const text = message.replace(/\s*\n\s*/g, ' ');
  const quoted = text.length > longestMessage ? `${text.slice(0, longestMessage).toWellFormed()} …` : text;
  return `${shown}:${line}:${column} ${severity}: ${quoted}${source === '' ? '' : ` (${source})`}`;
}

export function rank(severity: Severity): number {
  return severities.indexOf(severity);
}

function sorted(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (a, b) =>
      rank(a.severity) - rank(b.severity) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column),
  );
}

/** Both are displayed paths. */
function isWithin(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

function outline(symbols: readonly CodeSymbol[], depth: number): readonly string[] {
  return symbols.flatMap(({ kind, name, place, endLine, children }) => [
    `${'  '.repeat(depth)}${kind} ${name}  ${place.line}${endLine > place.line ? `-${endLine}` : ''}`,
    ...outline(children, depth + 1),
  ]);
}
