import type { AnyTool } from '../tool';
import { editTool, type FileToolDeps } from './editCalls';
import * as v from 'valibot';
import { splitLines, usualEnd, withLineEnds } from './lines';
import { isNotebook } from '../notebookText';
import { changedNotebook } from './notebook';
import { patched } from './patching';
import { type PatchedFile, readPatch } from './patchText';
import type { PlannedChange } from './plannedChange';
import { DoesNotFit, replaced, type Replacement } from './replacement';
import type { AccessPath } from '../../transcript/approval';
import type { AccessPaths } from '../accessPaths';
import { isSecret } from '../pathTreatment';
import { NotAText, type FileEditor, type TextFile } from './fileEditor';

const oldText = v.pipe(
  v.string(),
  v.nonEmpty('is empty: name the text that is replaced (write_file creates a file or replaces a whole one)'),
);
const replacementSchema = v.object({
  old_text: oldText,
  new_text: v.string(),
  replace_all: v.optional(v.boolean(), false),
});

const editSchema = v.pipe(
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
function editFileTool(deps: FileToolDeps): AnyTool {
  return editTool(deps, {
    name: 'edit_file',
    description:
      'Changes parts of an existing file: old_text is replaced by new_text. old_text must be copied from the ' +
      'file (without the line numbers of read_file) with enough lines around it to be found exactly once; set ' +
      'replace_all to change every occurrence. For several changes in one file give edits, which are made in ' +
      'order, all or none. Encoding and line ends of the file are kept.',
    schema: editSchema,
    plan: async (input, signal) => {
      const { target, file } = await openExisting(deps, input.path, signal);
      const change = (): string => afterAll(file.text, replacementsOf(input), target.shown);
      return [{ target, before: file, after: fitted(target, change) }];
    },
  });
}

function replacementsOf(input: v.InferOutput<typeof editSchema>): readonly Replacement[] {
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

const notebookSchema = v.pipe(
  v.object({
    path: v.pipe(
      v.string(),
      v.trim(),
      v.check(isNotebook, 'is not an .ipynb file; use edit_file'),
      v.description('Relative to the open folder.'),
    ),
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
  return editTool(deps, {
    name: 'edit_notebook',
    description:
      'Changes one cell of a notebook (.ipynb), by the number that read_file shows. edit: old_text becomes new_text; ' +
      'replace: its whole source; insert: a cell after it (0: first); delete. All else is kept.',
    schema: notebookSchema,
    plan: async ({ path, old_text, new_text = '', ...change }, signal) => {
      const { target, file } = await openExisting(deps, path, signal);
      const whole = { ...change, oldText: old_text, newText: new_text };
      return [{ target, before: file, after: fitted(target, () => changedNotebook(file.text, whole, target.shown)) }];
    },
  });
}

/** Tools that change files. The approval policy decides which files they may change. */
export function fileTools(deps: FileToolDeps): readonly AnyTool[] {
  return [editFileTool(deps), writeFileTool(deps), applyPatchTool(deps), editNotebookTool(deps)];
}

/** Writes a whole file, new or existing. */
function writeFileTool(deps: FileToolDeps): AnyTool {
  return editTool(deps, {
    name: 'write_file',
    description:
      'Writes a file with the whole content given, and creates the folders it lies in. Replaces everything a ' +
      'file held before, so to change a part of an existing file use edit_file. An existing file keeps its ' +
      'encoding and its kind of line ends.',
    schema: v.object({
      path: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.description('Relative to the open folder.')),
      content: v.pipe(
        v.string(),
        v.description('The whole content, with a line end at its end unless the file shall have none.'),
      ),
    }),
    plan: async ({ path, content: written }, signal) => {
      const { target, file } = await openTarget(deps, path, signal);
      const content = written.replace(/^\ufeff/, '');
      const after = file === null ? content : withLineEnds(content, usualEnd(splitLines(file.text)));
      return [{ target, before: file, after }];
    },
  });
}

/** Changes several files in one call, all or none. */
function applyPatchTool(deps: FileToolDeps): AnyTool {
  return editTool(deps, {
    name: 'apply_patch',
    description: [
      'Changes several files at once (create, change, delete, move), all or none. The patch is written like this:',
      '*** Begin Patch',
      '*** Update File: src/cart.ts',
      '@@ export function total(cart: Cart): number {',
      '   const items = cart.items;',
      '-  return sum(items);',
      '+  return sum(items) - cart.discount;',
      '*** Add File: src/discount.ts',
      '+export const none = 0;',
      '*** Delete File: src/old.ts',
      '*** End Patch',
      'Lines that stay begin with " ", lines that go with "-", lines that come with "+". Give about three lines ' +
        'that stay around each change, copied from the file; "@@ <line>" names a line above when that is not ' +
        'enough to find the place. "*** Move to: <path>" below "*** Update File:" moves the file. A unified diff ' +
        'is taken too.',
    ].join('\n'),
    schema: v.object({
      patch: v.pipe(
        v.string(),
        v.nonEmpty('is empty'),
        v.description('The whole patch, from "*** Begin Patch" to "*** End Patch".'),
      ),
    }),
    plan: async ({ patch }, signal) => {
      const changes: PlannedChange[] = [];
      for (const file of readPatch(patch)) changes.push(...(await planned(deps, file, signal)));
      return changes;
    },
  });
}

async function planned(deps: FileToolDeps, patch: PatchedFile, signal: AbortSignal): Promise<readonly PlannedChange[]> {
  switch (patch.kind) {
    case 'add': {
      const { target, file } = await openTarget(deps, patch.path, signal);
      if (file !== null)
        throw new Error(
          `${target.shown} exists already, so it cannot be added. Change it with "*** Update File:". Nothing was ` +
            'changed.',
        );
      return [{ target, before: null, after: patch.text }];
    }
    case 'delete': {
      const { target, file } = await openExisting(deps, patch.path, signal);
      return [{ target, before: file, after: null }];
    }
    case 'update': {
      const { target, file } = await openExisting(deps, patch.path, signal);
      const after = fitted(target, () => patched(file.text, patch.hunks, target.shown));
      const moved = patch.moveTo === null ? null : await openTarget(deps, patch.moveTo, signal);
      if (moved === null || moved.target.path === target.path) return [{ target, before: file, after }];
      if (moved.file !== null)
        throw new Error(
          `${target.shown} cannot be moved to ${moved.target.shown}, because there is a file already. Nothing ` +
            'was changed.',
        );
      return [
        { target: moved.target, before: null, after, format: { encoding: file.encoding, hasBom: file.hasBom } },
        { target, before: file, after: null },
      ];
    }
  }
}

/** File that a call names, and its content; null when there is none. */
interface OpenTarget {
  readonly target: AccessPath;
  readonly file: TextFile | null;
}

/** Finds and reads the file that a path refers to. Rejects with a sentence for the model, which names the file by
 *  its displayed path. */
async function openTarget(
  deps: { readonly paths: AccessPaths; readonly editor: FileEditor },
  written: string,
  signal: AbortSignal,
): Promise<OpenTarget> {
  const target = await deps.paths.resolveAccess(written);
  try {
    return { target, file: await deps.editor.open(target.path, signal) };
  } catch (error) {
    throw error instanceof NotAText ? new NotAText(error.message.replaceAll(target.path, target.shown)) : error;
  }
}

/** Like `openTarget`, for a file that must exist. */
async function openExisting(
  deps: Parameters<typeof openTarget>[0],
  written: string,
  signal: AbortSignal,
): Promise<{ readonly target: AccessPath; readonly file: TextFile }> {
  const { target, file } = await openTarget(deps, written, signal);
  if (file === null)
    throw new Error(
      `There is no file ${target.shown}. Use list_directory or glob_files to find it, or write_file to create it.`,
    );
  return { target, file };
}

/** Returns the new text of a file. A refusal normally quotes the file, and comes before the approval. For a file
 *  that needs approval to read, the refusal reveals nothing. */
function fitted(target: AccessPath, make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DoesNotFit) || (target.isInside && !isSecret(target.shown))) throw error;
    throw new DoesNotFit(
      `The edit does not fit ${target.shown}; nothing was changed. Use read_file, which asks the person, to see ` +
        'what the file holds.',
      { cause: error },
    );
  }
}
