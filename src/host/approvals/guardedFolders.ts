import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type * as vscode from 'vscode';

/** Folders of an extension, as in `ExtensionContext`. */
interface ExtensionFolders {
  readonly globalStorageUri: Pick<vscode.Uri, 'fsPath'>;
  readonly storageUri: Pick<vscode.Uri, 'fsPath'> | undefined;
  readonly logUri: Pick<vscode.Uri, 'fsPath'>;
  readonly extensionUri: Pick<vscode.Uri, 'fsPath'>;
}

/** Absolute paths of folders that belong to the extension and the editor. `kept`: their storage, logs and settings.
 *  `programs`: where extensions are installed, including this one. Pass false as `isInstalled` while the extension
 *  is being developed: its program is then an open folder. */
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

/** Absolute folders whose files are run or obeyed by the editor, this extension or the user's shells: their own
 *  folders and the user's programs. Includes each path with links resolved. */
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
