import * as vscode from 'vscode';

/** Opens a file read-only in an editor. Does not use a text document of our own: the editor gives extensions none of
 *  more than 50 MB. */
export async function openReadOnly(path: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
}
