import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { Selection } from './mentionPlaces';

/** Tracks the selection in the text editor that the user used last: while they type into a chat in an editor tab, no
 *  text editor is active. */
export class LastSelection implements Disposable {
  private editor = vscode.window.activeTextEditor;
  private readonly listening = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor !== undefined) this.editor = editor;
  });

  /** Null: nothing is selected. */
  get current(): Selection | null {
    const editor = vscode.window.activeTextEditor ?? this.editor;
    if (editor === undefined || editor.document.isClosed) return null;
    const { document, selection } = editor;
    const text = document.getText(selection);
    if (text.trim() === '' || document.uri.scheme === 'output') return null;
    const isFile = document.uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
    // A selection of whole lines ends at the start of the next line; leave that line out.
    const lastLine =
      selection.end.line > selection.start.line && selection.end.character === 0
        ? selection.end.line - 1
        : selection.end.line;
    return {
      path: isFile ? document.uri.fsPath : document.fileName,
      isFile,
      startLine: selection.start.line + 1,
      endLine: lastLine + 1,
      text,
    };
  }

  dispose(): void {
    this.listening.dispose();
  }
}
