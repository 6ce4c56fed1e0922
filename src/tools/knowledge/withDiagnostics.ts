import * as v from 'valibot';
import type { AnyTool, ToolOutput } from '../tool';
import type { DiagnosticsAfterEdit } from './diagnosticsAfterEdit';

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
