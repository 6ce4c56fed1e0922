import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';

/** URI under which the editor knows a file. `path`: the editor's own (`fsPath`), or the real path with links
 *  resolved. A folder that was opened through a link keeps that name; otherwise an open document would count as a
 *  different file. */
export function uriOfPath(path: string): vscode.Uri {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== 'file' && isBelow(uri.fsPath, path)) return below(uri, uri.fsPath, path);
  }
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== 'file') continue;
    if (isBelow(uri.fsPath, path)) return vscode.Uri.file(path);
    const real = realPathOf(uri.fsPath);
    if (real !== uri.fsPath && isBelow(real, path)) return below(uri, real, path);
  }
  return vscode.Uri.file(path);
}

function below(folder: vscode.Uri, folderPath: string, path: string): vscode.Uri {
  const rest = relative(folderPath, path);
  return rest === '' ? folder : vscode.Uri.joinPath(folder, ...rest.split(sep));
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Real paths of open folders, cached: they do not move while the window is open. */
const realPaths = new Map<string, string>();

function realPathOf(folder: string): string {
  const known = realPaths.get(folder);
  if (known !== undefined) return known;
  try {
    const real = realpathSync.native(folder);
    realPaths.set(folder, real);
    return real;
  } catch {
    return folder; // it is gone; reads below it will report that
  }
}

/** Returns true when an operation of `vscode.workspace.fs` failed because the file or one of its folders doesn’t
 *  exist. */
export function isMissingFile(error: unknown): boolean {
  return (
    error instanceof vscode.FileSystemError && (error.code === 'FileNotFound' || error.code === 'FileNotADirectory')
  );
}
