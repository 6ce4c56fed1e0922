import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { Disposable } from '../../../base/disposable';

/** The text editor that the user used last: while they are in a chat in an editor tab, no text editor is active. */
export class LastEditor implements Disposable {
  private last = vscode.window.activeTextEditor;
  private readonly listening = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor !== undefined && isText(editor)) this.last = editor;
  });

  /** Null: no text editor is visible. */
  get current(): vscode.TextEditor | null {
    const inSight = vscode.window.visibleTextEditors.filter(isText);
    const active = vscode.window.activeTextEditor;
    return (
      (active !== undefined && isText(active) ? active : undefined) ??
      inSight.find((editor) => editor === this.last) ??
      inSight.find(({ document }) => document === this.last?.document) ??
      null
    );
  }

  /** Inserts text at the cursor, replacing the selection. If it cannot, says why. */
  async insert(text: string): Promise<void> {
    const problem = await insertAtCursor(this.current, text);
    if (problem !== null) void vscode.window.showWarningMessage(problem);
  }

  dispose(): void {
    this.listening.dispose();
  }
}

/** Null when done, otherwise a sentence that says why not. */
async function insertAtCursor(editor: vscode.TextEditor | null, text: string): Promise<string | null> {
  if (editor === null)
    return t('No text editor is open. Open a file and place the cursor where the code belongs, or use New File.');
  const { document } = editor;
  const name = vscode.workspace.asRelativePath(document.uri);
  if (await isReadOnly(document.uri)) return t('{file} is read-only. Nothing was inserted.', { file: name });
  const { version } = document;
  const done = await editor.edit((edit) => edit.replace(editor.selection, text.replace(/\n$/, '')));
  // An editor that is read-only for another reason reports success although nothing changed.
  if (!done || (document.version === version && text !== ''))
    return t('Couldn’t change {file} here. Nothing was inserted.', { file: name });
  await vscode.window.showTextDocument(document, {
    viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active,
    preserveFocus: false,
  });
  return null;
}

async function isReadOnly(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme === 'untitled') return false;
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) return true;
  const found = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => null);
  return found?.permissions !== undefined && (found.permissions & vscode.FilePermission.Readonly) !== 0;
}

/** False for logs, output channels and our own documents: nothing can be written into those. */
function isText({ document }: vscode.TextEditor): boolean {
  return !['output', 'comment', 'hermes-code', 'hermes-before', 'git', 'debug'].includes(document.uri.scheme);
}
