import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';

/** Folder for code of this extension that V8 has compiled. Deleting it only costs the next start some milliseconds. */
export function compiledFolderOf(context: Pick<ExtensionContext, 'globalStorageUri'>): string {
  return join(context.globalStorageUri.fsPath, 'compiled');
}
