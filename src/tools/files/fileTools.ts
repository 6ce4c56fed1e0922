import { type AnyTool, defineTool } from '../tool';
import { applyPatchTool } from './applyPatch';
import { type FileToolDeps, EditCalls, type EditPlan } from './editCalls';
import { editFileTool } from './editFile';
import * as v from 'valibot';
import { splitLines, usualEnd, withLineEnds } from './lines';
import { openTarget, fitted, openExisting } from './openTarget';
import { isNotebook } from '../notebookText';
import { changedNotebook } from './notebook';

const inputSchema = v.pipe(
  v.object({
    path: v.pipe(v.string(), v.trim(), v.check(isNotebook, 'is not an .ipynb file; use edit_file')),
    action: v.picklist(['edit', 'replace', 'insert', 'delete']),
    cell: v.pipe(v.number(), v.integer(), v.minValue(0)),
    old_text: v.optional(v.string(), ''),
    new_text: v.optional(v.string()),
    kind: v.optional(v.picklist(['code', 'markdown', 'raw'])),
  }),
  v.check(
    ({ action, old_text }) => (action === 'edit') === (old_text !== ''),
    'old_text goes with edit, and only with it',
  ),
  v.check(
    ({ action, new_text }) => (action === 'delete') === (new_text === undefined),
    'new_text goes with edit, replace and insert',
  ),
);

/** Changes one cell of a notebook. */
function editNotebookTool(deps: FileToolDeps): AnyTool {
  const calls = new EditCalls(deps);
  const plan =
    ({ path, old_text, new_text = '', ...change }: v.InferOutput<typeof inputSchema>): EditPlan =>
    async (signal) => {
      const { target, file } = await openExisting(deps, path, signal);
      const whole = { ...change, oldText: old_text, newText: new_text };
      return [{ target, before: file, after: fitted(target, () => changedNotebook(file.text, whole, target.shown)) }];
    };
  return defineTool({
    name: 'edit_notebook',
    description:
      'Changes one cell of a notebook (.ipynb), by the number that read_file shows. edit: old_text becomes new_text; ' +
      'replace: its whole source; insert: a cell after it (0: first); delete. All else is kept.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the open folder.' },
        action: { type: 'string', enum: ['edit', 'replace', 'insert', 'delete'] },
        cell: { type: 'integer', minimum: 0 },
        old_text: { type: 'string' },
        new_text: { type: 'string' },
        kind: { type: 'string', enum: ['code', 'markdown', 'raw'] },
      },
      required: ['path', 'action', 'cell'],
    },
    schema: inputSchema,
    readOnly: false,
    asks: (input, signal) => calls.asks(input, plan(input), signal),
    run: (input, signal, call) => calls.run(input, plan(input), signal, call),
  });
}

/** Tools that change files. The approval policy decides which files they may change. */
export function fileTools(deps: FileToolDeps): readonly AnyTool[] {
  return [editFileTool(deps), writeFileTool(deps), applyPatchTool(deps), editNotebookTool(deps)];
}

/** Writes a whole file, new or existing. */
function writeFileTool(deps: FileToolDeps): AnyTool {
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
