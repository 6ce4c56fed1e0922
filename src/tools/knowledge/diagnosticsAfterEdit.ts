import * as v from 'valibot';
import type { AnyTool, ToolOutput } from '../tool';
import type { EditorKnowledge, Problem } from './editorKnowledge';
import { problemLine } from './overviewTools';

interface AfterEditDeps {
  readonly editor: Pick<EditorKnowledge, 'problems'>;
  /** Resolves when the problems of one of the files change, or when the signal aborts. */
  readonly changed: (paths: readonly string[], signal: AbortSignal) => Promise<void>;
  readonly display: (path: string) => string;
  /** Milliseconds to wait for compilers and linters: `first` until the first report after an edit, `rest` for the
   *  others after it. */
  readonly waitMs?: { readonly first: number; readonly rest: number };
}

/** Errors in files that were just edited, as text for the end of the edit's result; null when none are known. */
export type DiagnosticsAfterEdit = (paths: readonly string[], signal: AbortSignal) => Promise<string | null>;

const usualWaitMs = { first: 1500, rest: 300 };
const mostErrors = 10;

/** Reads the errors after an edit. Waits briefly for the programs that check the files; they may take longer, so no
 *  errors is no guarantee. New errors come first. Older ones are included too, because some errors are reported
 *  before this call. */
export function diagnosticsAfterEdit({
  editor,
  changed,
  display,
  waitMs = usualWaitMs,
}: AfterEditDeps): DiagnosticsAfterEdit {
  const errorsIn = (paths: readonly string[]): readonly Problem[] =>
    [...new Set(paths)].flatMap((path) => editor.problems(path).filter(({ severity }) => severity === 'error'));
  return async (paths, signal) => {
    const before = new Set(errorsIn(paths).map(identityOf));
    const first = AbortSignal.any([signal, AbortSignal.timeout(waitMs.first)]);
    await changed(paths, first);
    if (!first.aborted) await elapsed(AbortSignal.any([first, AbortSignal.timeout(waitMs.rest)]));
    signal.throwIfAborted();
    const found = errorsIn(paths);
    if (found.length === 0) return null;
    const fresh = found.filter((problem) => !before.has(identityOf(problem)));
    const rows = [...fresh, ...found.filter((problem) => !fresh.includes(problem))]
      .slice(0, mostErrors)
      .map((problem) => problemLine(problem, display(problem.path)));
    const count = found.length === 1 ? 'one error' : `${found.length} errors`;
    return [
      `The editor now reports ${count} in what was ` +
        `edited${fresh.length === 0 ? ' (none came up since the edit)' : ''}:`,
      ...rows,
      ...(found.length > rows.length ? [`(${found.length - rows.length} more)`] : []),
    ].join('\n');
  };
}

/** Identity without the position: an error that only moved is not new. */
function identityOf({ path, message, source }: Problem): string {
  return JSON.stringify([path, message, source]);
}

function elapsed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

const editDetails = v.object({
  kind: v.literal('edit'),
  files: v.array(v.object({ path: v.string(), change: v.string() })),
});

/** Wraps a tool that changes files: adds the errors that the editor reports in them to the result. The edit stays
 *  done even if that fails. */
export function withDiagnostics(tool: AnyTool, afterEdit: DiagnosticsAfterEdit): AnyTool {
  return {
    ...tool,
    bind: (input) => {
      const bound = tool.bind(input);
      if (bound.kind === 'invalid') return bound;
      return { ...bound, run: async (signal, call) => withProblems(await bound.run(signal, call), afterEdit, signal) };
    },
  };
}

async function withProblems(
  output: ToolOutput,
  afterEdit: DiagnosticsAfterEdit,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const details = v.safeParse(editDetails, output.details);
  if (output.outcome !== 'done' || !details.success) return output;
  const edited = details.output.files.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  if (edited.length === 0) return output;
  // Stopped while waiting, or the editor did not answer: the edit is done anyway.
  const errors = await afterEdit(edited, signal).catch(() => null);
  return errors === null ? output : { ...output, text: `${output.text}\n\n${errors}` };
}
