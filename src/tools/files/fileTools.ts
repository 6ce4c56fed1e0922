import type { AnyTool } from '../tool';
import { applyPatchTool } from './applyPatch';
import type { FileToolNeeds } from './editCalls';
import { editFileTool } from './editFile';
import { writeFileTool } from './writeFile';

/** Tools that change files. The approval policy decides which files they may change. */
export function fileTools(needs: FileToolNeeds): readonly AnyTool[] {
  return [editFileTool(needs), writeFileTool(needs), applyPatchTool(needs)];
}
