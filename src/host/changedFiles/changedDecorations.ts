import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { EditorChanges } from './editorChanges';

/** Marks files in the explorer and in tabs that an agent changed and the user has not kept yet. */
export class ChangedDecorations implements vscode.FileDecorationProvider, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly files: Pick<EditorChanges, 'pathOf' | 'onDidChangeFiles'>) {
    this.lifetime.register(this.changes);
    this.lifetime.register(files.onDidChangeFiles((uris) => this.changes.fire([...uris])));
    this.lifetime.register(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (this.files.pathOf(uri) === null) return undefined;
    const mark = new vscode.FileDecoration(
      'H',
      t('Changed by Hermes, not kept yet'),
      new vscode.ThemeColor('chat.editedFileForeground'),
    );
    // A closed folder shows that something in it was changed.
    mark.propagate = true;
    return mark;
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
