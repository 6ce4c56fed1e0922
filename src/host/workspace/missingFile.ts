import * as vscode from 'vscode';

/** Returns true when an operation of `vscode.workspace.fs` failed because the file or one of its folders doesn’t
 *  exist. */
export function isMissingFile(error: unknown): boolean {
  return (
    error instanceof vscode.FileSystemError && (error.code === 'FileNotFound' || error.code === 'FileNotADirectory')
  );
}
