import * as v from 'valibot';
import { type AnyTool, defineTool } from '../tool';
import { EditCalls, type EditPlan, type FileToolDeps } from './editCalls';
import { fitted, openExisting } from './openTarget';
import { DoesNotFit, replaced, type Replacement } from './replacement';

const oldText = v.pipe(
  v.string(),
  v.nonEmpty('is empty: name the text that is replaced (write_file creates a file or replaces a whole one)'),
);
const replacementSchema = v.object({
  old_text: oldText,
  new_text: v.string(),
  replace_all: v.optional(v.boolean(), false),
});

const inputSchema = v.pipe(
  v.object({
    path: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty')),
    old_text: v.optional(oldText),
    new_text: v.optional(v.string()),
    replace_all: v.optional(v.boolean(), false),
    edits: v.optional(v.array(replacementSchema)),
  }),
  v.check(
    (input) => (input.old_text === undefined) !== ((input.edits ?? []).length === 0),
    'give either old_text and new_text, or edits with at least one replacement',
  ),
  v.check(
    (input) => (input.old_text === undefined) === (input.new_text === undefined),
    'old_text and new_text go together',
  ),
);

/** Replaces text in one file, at one or several places, all or none. */
export function editFileTool(deps: FileToolDeps): AnyTool {
  const calls = new EditCalls(deps);
  const plan =
    (input: v.InferOutput<typeof inputSchema>): EditPlan =>
    async (signal) => {
      const { target, file } = await openExisting(deps, input.path, signal);
      return [
        { target, before: file, after: fitted(target, () => afterAll(file.text, replacementsOf(input), target.shown)) },
      ];
    };
  return defineTool({
    name: 'edit_file',
    description:
      'Changes parts of an existing file: old_text is replaced by new_text. old_text must be copied from the ' +
      'file (without the line numbers of read_file) with enough lines around it to be found exactly once; set ' +
      'replace_all to change every occurrence. For several changes in one file give edits, which are made in ' +
      'order, all or none. Encoding and line ends of the file are kept.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the open folder.' },
        old_text: { type: 'string', description: 'The text to replace, as it stands in the file.' },
        new_text: { type: 'string', description: 'What takes its place; empty to delete it.' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence of old_text.' },
        edits: {
          type: 'array',
          description: 'Several replacements, instead of old_text and new_text.',
          items: {
            type: 'object',
            properties: {
              old_text: { type: 'string' },
              new_text: { type: 'string' },
              replace_all: { type: 'boolean' },
            },
            required: ['old_text', 'new_text'],
          },
        },
      },
      required: ['path'],
    },
    schema: inputSchema,
    readOnly: false,
    asks: (input, signal) => calls.asks(input, plan(input), signal),
    run: (input, signal, call) => calls.run(input, plan(input), signal, call),
  });
}

function replacementsOf(input: v.InferOutput<typeof inputSchema>): readonly Replacement[] {
  const { old_text, new_text, replace_all, edits } = input;
  if (old_text !== undefined && new_text !== undefined)
    return [{ oldText: old_text, newText: new_text, all: replace_all }];
  return (edits ?? []).map((edit) => ({ oldText: edit.old_text, newText: edit.new_text, all: edit.replace_all }));
}

function afterAll(text: string, replacements: readonly Replacement[], shown: string): string {
  let result = text;
  for (const [index, replacement] of replacements.entries()) {
    try {
      result = replaced(result, replacement, shown);
    } catch (error) {
      if (!(error instanceof DoesNotFit) || replacements.length === 1) throw error;
      throw new DoesNotFit(`Replacement ${index + 1} of ${replacements.length}: ${error.message}`);
    }
  }
  return result;
}
