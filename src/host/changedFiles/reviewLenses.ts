import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { EditorChanges, PlacedChange } from './editorChanges';

/** Shows Keep and Undo above each change of an agent. VS Code shows it where `editor.codeLens` is on, and in diff
 *  editors where `diffEditor.codeLens` is on. */
export class ReviewLenses implements vscode.CodeLensProvider, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changed = this.lifetime.register(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly changes: Pick<EditorChanges, 'pathOf' | 'of' | 'onDidChange'>) {
    this.lifetime.register(changes.onDidChange(() => this.changed.fire()));
    this.lifetime.register(vscode.languages.registerCodeLensProvider({ scheme: '*' }, this));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const path = this.changes.pathOf(document.uri);
    return path === null ? [] : (await this.changes.of(path)).flatMap((change) => lensesOf(document, change));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

function lensesOf(document: vscode.TextDocument, { path, id, start }: PlacedChange): vscode.CodeLens[] {
  const line = Math.min(start, document.lineCount - 1);
  const range = new vscode.Range(line, 0, line, 0);
  const lens = (title: string, tooltip: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, tooltip, command, arguments: [{ path, id }] });
  return [
    lens(t('Keep'), t('Keep this change'), 'hermes.keepChange'),
    lens(t('Undo'), t('Undo this change'), 'hermes.undoChange'),
  ];
}
