import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface WindowFacts {
  /** `hermes.storage.path`, absolute. Null: the editor's own storage. */
  readonly storagePath: string | null;
  /** The editor's storage folder for this workspace. Null: no workspace. */
  readonly workspaceStorage: string | null;
  readonly globalStorage: string;
  /** Name and URI of the workspace file or folder that is open. Null: an empty window. */
  readonly workspace: { readonly name: string; readonly uri: string } | null;
  /** Stays the same as long as the editor restores the empty window. */
  readonly emptyWindowId: () => string;
}

/** Folder of this window's history: one per workspace, in the editor's storage or below the folder from the
 *  settings. An empty window has its own folder. */
export function storagePlace(window: WindowFacts): string {
  const { storagePath, workspace, workspaceStorage, globalStorage } = window;
  if (storagePath !== null)
    return join(storagePath, workspace === null ? `empty-${window.emptyWindowId()}` : workspaceFolderName(workspace));
  return workspaceStorage ?? join(emptyWindowsFolder(globalStorage), window.emptyWindowId());
}

/** Holds one folder for each window without a workspace. */
export function emptyWindowsFolder(globalStorage: string): string {
  return join(globalStorage, 'empty-windows');
}

/** A readable name that differs for two folders with the same name. */
function workspaceFolderName(workspace: { readonly name: string; readonly uri: string }): string {
  const readable = workspace.name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40)
    .replace(/^[.-]+|[.-]+$/g, '');
  const hash = createHash('sha256').update(workspace.uri).digest('hex').slice(0, 12);
  return readable === '' ? hash : `${readable}-${hash}`;
}
