import * as v from 'valibot';
import type { AnyTool } from '../tool';
import { editTool, type FileToolDeps } from './editCalls';
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
    path: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.description('Relative to the open folder.')),
    old_text: v.optional(v.pipe(oldText, v.description('The text to replace, as it stands in the file.'))),
    new_text: v.optional(v.pipe(v.string(), v.description('What takes its place; empty to delete it.'))),
    replace_all: v.optional(v.pipe(v.boolean(), v.description('Replace every occurrence of old_text.')), false),
    edits: v.optional(
      v.pipe(v.array(replacementSchema), v.description('Several replacements, instead of old_text and new_text.')),
    ),
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
  return editTool(deps, {
    name: 'edit_file',
    description:
      'Changes parts of an existing file: old_text is replaced by new_text. old_text must be copied from the ' +
      'file (without the line numbers of read_file) with enough lines around it to be found exactly once; set ' +
      'replace_all to change every occurrence. For several changes in one file give edits, which are made in ' +
      'order, all or none. Encoding and line ends of the file are kept.',
    schema: inputSchema,
    plan: async (input, signal) => {
      const { target, file } = await openExisting(deps, input.path, signal);
      const change = (): string => afterAll(file.text, replacementsOf(input), target.shown);
      return [{ target, before: file, after: fitted(target, change) }];
    },
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
