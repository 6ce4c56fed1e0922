import type { AnyTool } from '../tool';
import { applyPatchTool } from './applyPatch';
import { editTool, type FileToolDeps } from './editCalls';
import { editFileTool } from './editFile';
import * as v from 'valibot';
import { splitLines, usualEnd, withLineEnds } from './lines';
import { openTarget, fitted, openExisting } from './openTarget';
import { isNotebook } from '../notebookText';
import { changedNotebook } from './notebook';

const inputSchema = v.pipe(
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
    schema: inputSchema,
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
