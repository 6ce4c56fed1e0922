import * as vscode from 'vscode';

/** Extensions are not told what is selected in a terminal, so it is copied, and the clipboard's text put back. `mark` tells that nothing was. */
export async function terminalSelection(mark: string): Promise<string | null> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await clipboard.readText();
    return text === mark || text.trim() === '' ? null : text;
  } finally {
    await clipboard.writeText(before);
  }
}
