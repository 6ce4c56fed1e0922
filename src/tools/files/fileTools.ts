import type { AnyTool } from '../tool';
import { applyPatchTool } from './applyPatch';
import type { FileToolNeeds } from './editCalls';
import { editFileTool } from './editFile';
import { writeFileTool } from './writeFile';

/** The tools that change files. What may be changed is the approval policy's business. */
export function fileTools(needs: FileToolNeeds): readonly AnyTool[] {
  return [editFileTool(needs), writeFileTool(needs), applyPatchTool(needs)];
}
