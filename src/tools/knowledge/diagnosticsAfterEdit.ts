import type { EditorKnowledge, Problem } from './editorKnowledge';
import { problemLine } from './overviewTools';

export interface AfterEditNeeds {
  readonly editor: Pick<EditorKnowledge, 'problems'>;
  /** Resolves when the problems of one of the files change, or when the signal aborts. */
  readonly changed: (paths: readonly string[], signal: AbortSignal) => Promise<void>;
  readonly display: (path: string) => string;
  /** How long compilers and linters get to look at an edit, and how long the rest of them once the first has reported; in milliseconds. */
  readonly patience?: { readonly first: number; readonly rest: number };
}

/** Errors in files that were just edited, as text for the end of the edit's result; null where none are known. */
export type DiagnosticsAfterEdit = (paths: readonly string[], signal: AbortSignal) => Promise<string | null>;

const usualPatience = { first: 1500, rest: 300 };
const mostErrors = 10;

/** Asked right behind an edit, it waits a moment for what checks the files, which may take longer: silence is no promise. Errors that came up
 *  meanwhile stand first; older ones are told too, since some are reported faster than they can be asked for. */
export function diagnosticsAfterEdit({
  editor,
  changed,
  display,
  patience = usualPatience,
}: AfterEditNeeds): DiagnosticsAfterEdit {
  const errorsIn = (paths: readonly string[]): readonly Problem[] =>
    [...new Set(paths)].flatMap((path) => editor.problems(path).filter(({ severity }) => severity === 'error'));
  return async (paths, signal) => {
    const before = new Set(errorsIn(paths).map(identityOf));
    const first = AbortSignal.any([signal, AbortSignal.timeout(patience.first)]);
    await changed(paths, first);
    if (!first.aborted) await elapsed(AbortSignal.any([first, AbortSignal.timeout(patience.rest)]));
    signal.throwIfAborted();
    const found = errorsIn(paths);
    if (found.length === 0) return null;
    const fresh = found.filter((problem) => !before.has(identityOf(problem)));
    const rows = [...fresh, ...found.filter((problem) => !fresh.includes(problem))]
      .slice(0, mostErrors)
      .map((problem) => problemLine(problem, display(problem.path)));
    const count = found.length === 1 ? 'one error' : `${found.length} errors`;
    return [
      `The editor now reports ${count} in what was edited${fresh.length === 0 ? ' (none came up since the edit)' : ''}:`,
      ...rows,
      ...(found.length > rows.length ? [`(${found.length - rows.length} more)`] : []),
    ].join('\n');
  };
}

/** An error that only moved is not new. */
function identityOf({ path, message, source }: Problem): string {
  return JSON.stringify([path, message, source]);
}

function elapsed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
