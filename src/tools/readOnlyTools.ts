import { listDirectoryTool } from './listDirectory';
import { readFileTool } from './readFile';
import { searchFilesTool } from './searchFiles';
import type { AnyTool } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';

/** The tools that only look, and only inside the open folders: they never ask. */
export function readOnlyTools(files: WorkspaceFiles): readonly AnyTool[] {
  const paths = new WorkspacePaths(files);
  return [readFileTool(files, paths), listDirectoryTool(files, paths), searchFilesTool(files, paths)];
}
