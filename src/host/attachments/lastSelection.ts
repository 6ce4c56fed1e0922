import * as vscode from 'vscode';
import { DisposableStore, Emitter, type Disposable } from '../../base/disposable';
import type { Selection } from './mentionDeps';

/** Tracks the file and the selection of the text editor that the user used last: while they type into a chat in an
 *  editor tab, no text editor is active. */
export class LastSelection implements Disposable {
  private editor = vscode.window.activeTextEditor;
  private readonly changed = new Emitter<undefined>();
  private readonly lifetime = new DisposableStore();

  constructor() {
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    const changed = (): void => this.changed.fire(undefined);
    own(this.changed);
    own(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined) this.editor = editor;
        changed();
      }),
    );
    own(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => void (textEditor === this.shown && changed())),
    );
    own(vscode.workspace.onDidCloseTextDocument(changed));
  }

  /** Fires often: at every move of the cursor. */
  readonly onDidChange = this.changed.event;

  /** Absolute path of the file in the editor. Null: there is none, or it is not a file. */
  get file(): string | null {
    const uri = this.shown?.document.uri;
    return uri !== undefined && isFile(uri) ? uri.fsPath : null;
  }

  /** Null: nothing is selected. */
  get current(): Selection | null {
    const editor = this.shown;
    if (editor === undefined) return null;
    const { document, selection } = editor;
    const text = document.getText(selection);
    if (text.trim() === '' || document.uri.scheme === 'output') return null;
    // A selection of whole lines ends at the start of the next line; leave that line out.
    const lastLine =
      selection.end.line > selection.start.line && selection.end.character === 0
        ? selection.end.line - 1
        : selection.end.line;
    return {
      path: isFile(document.uri) ? document.uri.fsPath : document.fileName,
      isFile: isFile(document.uri),
      startLine: selection.start.line + 1,
      endLine: lastLine + 1,
      text,
    };
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private get shown(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor ?? this.editor;
    return editor === undefined || editor.document.isClosed ? undefined : editor;
  }
}

function isFile(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}
