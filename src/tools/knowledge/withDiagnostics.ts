import * as v from 'valibot';
import type { AnyTool, ToolOutput } from '../tool';
import type { DiagnosticsAfterEdit } from './diagnosticsAfterEdit';

const editDetails = v.object({
  kind: v.literal('edit'),
  files: v.array(v.object({ path: v.string(), change: v.string() })),
});

/** A tool that changes files, and then tells the model which errors the editor reports in them. The edit stands whatever becomes of that. */
export function withDiagnostics(tool: AnyTool, afterEdit: DiagnosticsAfterEdit): AnyTool {
  return {
    ...tool,
    bind: (input) => {
      const bound = tool.bind(input);
      if (bound.kind === 'invalid') return bound;
      return { ...bound, run: async (signal, call) => told(await bound.run(signal, call), afterEdit, signal) };
    },
  };
}

async function told(output: ToolOutput, afterEdit: DiagnosticsAfterEdit, signal: AbortSignal): Promise<ToolOutput> {
  const details = v.safeParse(editDetails, output.details);
  if (output.outcome !== 'done' || !details.success) return output;
  const edited = details.output.files.filter(({ change }) => change !== 'deleted').map(({ path }) => path);
  if (edited.length === 0) return output;
  // Stopped while it waited, or the editor could not be asked: what was edited is edited.
  const errors = await afterEdit(edited, signal).catch(() => null);
  return errors === null ? output : { ...output, text: `${output.text}\n\n${errors}` };
}
