import * as vscode from 'vscode';

/** Shows Markdown as a document that is not saved. */
export async function showDocument(content: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** On one line, so that a text of another program cannot pose as a part of the report. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
