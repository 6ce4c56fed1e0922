import { AccessPaths } from './accessPaths';
import { globFilesTool } from './globFiles';
import { listDirectoryTool } from './listDirectory';
import { ReadAccess } from './readAccess';
import { readFileTool } from './readFile';
import { searchFilesTool } from './searchFiles';
import type { DeniesReading } from './secretFiles';
import type { AnyTool } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';

/** Tools that only read. Inside the open folders they need no approval; for other places and for secrets, the
 *  approval policy decides. */
export function readOnlyTools(files: WorkspaceFiles, deniesReading: DeniesReading): readonly AnyTool[] {
  const paths = new WorkspacePaths(files);
  const access = new ReadAccess(files, new AccessPaths(files));
  return [
    readFileTool(files, access),
    listDirectoryTool(files, access),
    globFilesTool(files, paths, access),
    searchFilesTool({ files, deniesReading }, paths, access),
  ];
}
