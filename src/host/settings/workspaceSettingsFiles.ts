import { basename } from 'node:path';
import * as vscode from 'vscode';
import { workspaceOverrides, type WorkspaceOverride } from './workspaceOverrides';

/** Reads the settings files of the open workspace for settings that a workspace cannot set. A missing file sets
 *  nothing. */
export async function readWorkspaceOverrides(): Promise<readonly WorkspaceOverride[]> {
  const found = await Promise.all(
    settingsFiles().map(async ({ uri, name }) => workspaceOverrides(name, await readText(uri))),
  );
  return found.flat();
}

/** Calls the listener when settings of the workspace were written, or folders were opened or closed. */
export function onDidChangeWorkspaceSettings(listener: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher('**/{.vscode/settings.json,*.code-workspace}');
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(listener),
    watcher.onDidCreate(listener),
    watcher.onDidDelete(listener),
    vscode.workspace.onDidChangeWorkspaceFolders(listener),
  );
}

function settingsFiles(): readonly { readonly uri: vscode.Uri; readonly name: string }[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const several = folders.length > 1;
  const perFolder = folders.map((folder) => ({
    uri: vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json'),
    name: several ? `${folder.name}/.vscode/settings.json` : '.vscode/settings.json',
  }));
  const workspaceFile = vscode.workspace.workspaceFile;
  const saved =
    workspaceFile === undefined || workspaceFile.scheme === 'untitled'
      ? []
      : [{ uri: workspaceFile, name: basename(workspaceFile.path) }];
  return [...perFolder, ...saved];
}

async function readText(uri: vscode.Uri): Promise<string> {
  const bytes = await Promise.resolve(vscode.workspace.fs.readFile(uri)).catch(() => new Uint8Array());
  return new TextDecoder().decode(bytes);
}
