import type { AnyTool } from '../tool';
import { applyPatchTool } from './applyPatch';
import type { FileToolDeps } from './editCalls';
import { editFileTool } from './editFile';
import { editNotebookTool } from './editNotebook';
import { writeFileTool } from './writeFile';

/** Tools that change files. The approval policy decides which files they may change. */
export function fileTools(deps: FileToolDeps): readonly AnyTool[] {
  return [editFileTool(deps), writeFileTool(deps), applyPatchTool(deps), editNotebookTool(deps)];
}
