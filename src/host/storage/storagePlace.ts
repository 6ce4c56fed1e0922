import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface WindowFacts {
  /** `hermes.storage.path`, absolute; null for the editor's own storage. */
  readonly storagePath: string | null;
  /** The editor's storage folder for this workspace; null without a workspace. */
  readonly workspaceStorage: string | null;
  readonly globalStorage: string;
  /** What is open: its name and its URI (of the workspace file or of the folder); null in an empty window. */
  readonly workspace: { readonly name: string; readonly uri: string } | null;
  /** Keeps its value as long as the empty window is restored. */
  readonly emptyWindowId: () => string;
}

/** The folder in which this window's history lies: one per workspace, whether in the editor's storage or below the folder of the settings.
 *  An empty window has one of its own. */
export function storagePlace(window: WindowFacts): string {
  const { storagePath, workspace, workspaceStorage, globalStorage } = window;
  if (storagePath !== null)
    return join(storagePath, workspace === null ? `empty-${window.emptyWindowId()}` : workspaceFolderName(workspace));
  return workspaceStorage ?? join(emptyWindowsFolder(globalStorage), window.emptyWindowId());
}

/** Holds a folder for each window without a workspace. */
export function emptyWindowsFolder(globalStorage: string): string {
  return join(globalStorage, 'empty-windows');
}

/** Readable by people, and different for two folders of the same name. */
function workspaceFolderName(workspace: { readonly name: string; readonly uri: string }): string {
  const readable = workspace.name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 40)
    .replace(/^[.-]+|[.-]+$/g, '');
  const hash = createHash('sha256').update(workspace.uri).digest('hex').slice(0, 12);
  return readable === '' ? hash : `${readable}-${hash}`;
}
