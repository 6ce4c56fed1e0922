import * as v from 'valibot';
import { type AnyTool, defineTool } from '../tool';
import { EditCalls, type EditPlan, type FileToolDeps } from './editCalls';
import { splitLines, usualEnd, withLineEnds } from './lines';
import { openTarget } from './openTarget';

/** Writes a whole file, new or existing. */
export function writeFileTool(deps: FileToolDeps): AnyTool {
  const calls = new EditCalls(deps);
  const plan =
    (input: { readonly path: string; readonly content: string }): EditPlan =>
    async (signal) => {
      const { target, file } = await openTarget(deps, input.path, signal);
      const content = input.content.replace(/^\ufeff/, '');
      return [
        {
          target,
          before: file,
          after: file === null ? content : withLineEnds(content, usualEnd(splitLines(file.text))),
        },
      ];
    };
  return defineTool({
    name: 'write_file',
    description:
      'Writes a file with the whole content given, and creates the folders it lies in. Replaces everything a ' +
      'file held before, so to change a part of an existing file use edit_file. An existing file keeps its ' +
      'encoding and its kind of line ends.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the open folder.' },
        content: {
          type: 'string',
          description: 'The whole content, with a line end at its end unless the file shall have none.',
        },
      },
      required: ['path', 'content'],
    },
    schema: v.object({ path: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty')), content: v.string() }),
    readOnly: false,
    asks: (input, signal) => calls.asks(input, plan(input), signal),
    run: (input, signal, call) => calls.run(input, plan(input), signal, call),
  });
}
