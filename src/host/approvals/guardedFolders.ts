import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type * as vscode from 'vscode';

/** The folders of an extension; `ExtensionContext` has them. */
export interface ExtensionFolders {
  readonly globalStorageUri: Pick<vscode.Uri, 'fsPath'>;
  readonly storageUri: Pick<vscode.Uri, 'fsPath'> | undefined;
  readonly logUri: Pick<vscode.Uri, 'fsPath'>;
  readonly extensionUri: Pick<vscode.Uri, 'fsPath'>;
}

/** What is the extension's and the editor's own: `kept`, their storage, logs and settings; `programs`, where extensions lie, this one among them.
 *  Absolute. `isInstalled`: false where somebody works on this extension, whose program is then an open folder. */
export function ownFolders(
  { globalStorageUri, storageUri, logUri, extensionUri }: ExtensionFolders,
  isInstalled: boolean,
): { readonly kept: readonly string[]; readonly programs: readonly string[] } {
  const storage = globalStorageUri.fsPath;
  // <user data>/User/globalStorage/<extension>
  const user = basename(dirname(storage)) === 'globalStorage' ? [dirname(dirname(storage))] : [];
  const program = extensionUri.fsPath;
  const programs = basename(dirname(program)) === 'extensions' ? dirname(program) : program;
  return {
    kept: [storage, logUri.fsPath, ...(storageUri === undefined ? [] : [storageUri.fsPath]), ...user],
    programs: isInstalled ? [programs] : [],
  };
}

/** Folders whose files the editor, this extension or every shell of the person runs or obeys: what is their own, and the person's programs. Absolute,
 *  also with links resolved. */
export function guardedFolders(extension: ExtensionFolders, isInstalled: boolean, home = homedir()): readonly string[] {
  const { kept, programs } = ownFolders(extension, isInstalled);
  return [...new Set([...kept, ...programs, join(home, 'bin')].flatMap((folder) => [folder, real(folder)]))];
}

function real(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
