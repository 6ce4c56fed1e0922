import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { describeFolder, type OpenFolder } from '../../store/library/describeFolder';
import type { FolderLabel } from '../../store/library/folderLabel';
import type { StoreLocations } from '../../store/library/otherStore';
import { emptyWindowsFolder } from '../storage/windowStorage';

const storagePathsKey = 'storagePaths';
const mostStoragePaths = 5;

/** Describes the folder or workspace of this window, so that its store can record which folder it belongs to. */
export function describeOwnFolder(): Promise<FolderLabel> {
  return describeFolder(openFolder());
}

function openFolder(): OpenFolder {
  const { workspaceFile, workspaceFolders, name = '' } = vscode.workspace;
  const roots = (workspaceFolders ?? []).flatMap(({ uri }) => pathOf(uri) ?? []);
  if (workspaceFile !== undefined) return { kind: 'workspace', path: pathOf(workspaceFile), name, roots };
  return workspaceFolders === undefined
    ? { kind: 'window', path: null, name, roots }
    : { kind: 'folder', path: roots[0] ?? null, name: workspaceFolders[0]?.name ?? name, roots };
}

/** Path on this machine. Null: only the editor can reach it. */
function pathOf(uri: vscode.Uri | undefined): string | null {
  return uri !== undefined && (uri.scheme === 'file' || uri.scheme === 'vscode-remote') ? uri.fsPath : null;
}

/** Values of `hermes.storage.path` until now, this window's first: they may hold sessions. Remembers the given one. */
export function rememberedStoragePaths(state: vscode.Memento, current: string | null): readonly string[] {
  const known = state.get<readonly unknown[]>(storagePathsKey, []).filter((path) => typeof path === 'string');
  const paths = [...new Set([...(current === null ? [] : [current]), ...known])].slice(0, mostStoragePaths);
  if (paths.join('\n') !== known.join('\n')) void state.update(storagePathsKey, paths);
  return paths;
}

/** Places where the editor keeps stores of this extension, and those that the settings name or named. */
export function storeLocations(
  context: vscode.ExtensionContext,
  storagePaths: readonly string[],
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
    shelves: [emptyWindowsFolder(global), ...storagePaths],
    own,
  };
}
