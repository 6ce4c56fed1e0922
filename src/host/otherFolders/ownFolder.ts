import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { describeFolder, type OpenFolder } from '../../store/library/describeFolder';
import type { FolderLabel } from '../../store/library/folderLabel';
import type { StoreLocations } from '../../store/library/otherStore';
import { emptyWindowsFolder } from '../storage/storagePlace';

/** Describes the folder or workspace of this window, so that its store can record which folder it belongs to. */
export function describeOwnFolder(): Promise<FolderLabel> {
  return describeFolder(openFolder());
}

function openFolder(): OpenFolder {
  const { workspaceFile, workspaceFolders, name = '' } = vscode.workspace;
  const root = pathOf(workspaceFolders?.[0]?.uri);
  if (workspaceFile !== undefined) return { kind: 'workspace', path: pathOf(workspaceFile), name, root };
  return workspaceFolders === undefined
    ? { kind: 'window', path: null, name, root: null }
    : { kind: 'folder', path: root, name: workspaceFolders[0]?.name ?? name, root };
}

/** Path on this machine. Null: only the editor can reach it. */
function pathOf(uri: vscode.Uri | undefined): string | null {
  return uri !== undefined && (uri.scheme === 'file' || uri.scheme === 'vscode-remote') ? uri.fsPath : null;
}

/** Places where the editor keeps stores of this extension, and the one from the settings. */
export function storeLocations(
  context: vscode.ExtensionContext,
  storagePath: string | null,
  own: string,
): StoreLocations {
  const global = context.globalStorageUri.fsPath;
  const extension = basename(global);
  // Profiles too: each has its own global storage, but they share the workspace storage.
  const user = dirname(dirname(global));
  const guesses = [join(user, 'workspaceStorage'), join(dirname(dirname(user)), 'workspaceStorage')];
  const known = context.storageUri === undefined ? [] : [dirname(dirname(context.storageUri.fsPath))];
  const roots = [...new Set([...known, ...guesses])].filter((root) => basename(root) === 'workspaceStorage');
  return {
    workspaces: roots.map((root) => ({ root, extension })),
    shelves: [emptyWindowsFolder(global), ...(storagePath === null ? [] : [storagePath])],
    own,
  };
}
