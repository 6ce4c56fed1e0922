import * as vscode from 'vscode';

/** Shows a file in an editor in which it cannot be changed. Not as a text document of ours: the editor gives extensions none of more than 50 MB. */
export async function openReadOnly(path: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
}
