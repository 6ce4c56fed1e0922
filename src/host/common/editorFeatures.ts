import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errorMessage';

/** Language models of the editor. Undefined in editors made from VS Code that have none (docs/platforms.md). */
export function languageModels(): typeof vscode.lm | undefined {
  return vscode.lm;
}

/** A file, its text before the changes, and its text after them. Undefined: the file didn't exist, or is gone. */
export type ChangedSides = readonly [file: vscode.Uri, before: vscode.Uri | undefined, after: vscode.Uri | undefined];

/** Opens several changes in one editor. Editors that have no such editor get a diff editor for each file, or the file
 *  itself where there is nothing to compare. */
export async function openChanges(title: string, changes: readonly ChangedSides[]): Promise<void> {
  try {
    await vscode.commands.executeCommand('vscode.changes', title, changes);
  } catch (error) {
    if (!/not found/i.test(errorMessage(error))) throw error;
    for (const [file, before, after] of changes) {
      if (before !== undefined && after !== undefined)
        await vscode.commands.executeCommand('vscode.diff', before, after, `${basename(file.path)} (${title})`, {
          preview: false,
        });
      else await vscode.commands.executeCommand('vscode.open', after ?? before ?? file, { preview: false });
    }
  }
}

/** Opens an address in the browser exactly as it is written. The editor decodes a `Uri` once before it opens it, so
 *  that `%26` and `%23` in a value become `&` and `#` (vscode#85930). It keeps a text, which its types do not say. */
export async function openPage(address: string): Promise<void> {
  await vscode.env.openExternal(address as unknown as vscode.Uri);
}
