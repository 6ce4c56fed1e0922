import { randomUUID, createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { join } from 'node:path';

const emptyWindowKey = 'emptyWindowId';

/** Folder of this window's history. */
export function windowStorageFolder(context: vscode.ExtensionContext, storagePath: string | null): string {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return storagePlace({
    storagePath,
    workspaceStorage: uri === undefined ? null : (context.storageUri?.fsPath ?? null),
    globalStorage: context.globalStorageUri.fsPath,
    workspace: uri === undefined ? null : { name: vscode.workspace.name ?? '', uri: uri.toString() },
    emptyWindowId: () => emptyWindowId(context.workspaceState),
  });
}

/** The editor restores an empty window with its workspace state, so an id kept there lasts as long as the window. */
function emptyWindowId(state: vscode.Memento): string {
  const known: unknown = state.get(emptyWindowKey);
  if (typeof known === 'string' && /^[0-9a-f-]{36}$/.test(known)) return known;
  const fresh = randomUUID();
  void state.update(emptyWindowKey, fresh);
  return fresh;
}

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
