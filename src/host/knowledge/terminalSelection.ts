import * as vscode from 'vscode';

/** Returns the text selected in the active terminal; null if nothing is selected. Extensions cannot read that
 *  selection, so this copies it and then restores the clipboard's text. `mark` is a unique text that shows that
 *  nothing was copied. */
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
