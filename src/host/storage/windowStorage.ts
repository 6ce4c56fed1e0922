import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { storagePlace } from './storagePlace';

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
