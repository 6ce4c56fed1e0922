import * as v from 'valibot';
import { type AnyTool, defineTool } from '../tool';
import { EditCalls, type EditPlan, type FileToolDeps } from './editCalls';
import { isNotebook } from '../notebookText';
import { changedNotebook } from './notebook';
import { fitted, openExisting } from './openTarget';

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
export function editNotebookTool(deps: FileToolDeps): AnyTool {
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
      'Changes one cell of a Jupyter notebook (.ipynb), by the number that read_file shows. action: edit replaces ' +
      'old_text by new_text in the cell, replace sets its whole source to new_text, insert adds a cell after it ' +
      '(cell 0: at the beginning), delete removes it. Outputs and everything else of the file are kept.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Path of the notebook, relative to the open folder.' },
        action: { type: 'string', enum: ['edit', 'replace', 'insert', 'delete'] },
        cell: { type: 'integer', minimum: 0, description: 'Number of the cell, from 1.' },
        old_text: { type: 'string', description: 'For edit: the text to replace, as it stands in the cell.' },
        new_text: { type: 'string', description: 'What takes its place, or the whole source of the cell.' },
        kind: { type: 'string', enum: ['code', 'markdown', 'raw'], description: 'Kind of the cell.' },
      },
      required: ['path', 'action', 'cell'],
      additionalProperties: false,
    },
    schema: inputSchema,
    readOnly: false,
    asks: (input, signal) => calls.asks(input, plan(input), signal),
    run: (input, signal, call) => calls.run(input, plan(input), signal, call),
  });
}
