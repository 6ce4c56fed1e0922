import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { acceptedUri } from './beforeFiles';
import type { EditorChanges, PlacedChange } from './editorChanges';

/** Marks the lines of changes that are left to review, in each editor that shows their file. VS Code's own bars beside
 *  the lines, and its view of a change in place, compare with the text that the user has accepted: see
 *  `vscode.QuickDiffProvider`. */
export class ReviewMarks implements vscode.QuickDiffProvider, Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly added = this.lifetime.register(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  );
  private readonly removed = this.lifetime.register(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderStyle: 'solid',
      borderWidth: '2px 0 0 0',
      borderColor: new vscode.ThemeColor('editorGutter.deletedBackground'),
      overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
      overviewRulerLane: vscode.OverviewRulerLane.Left,
    }),
  );
  /** Only while there is something to review: VS Code lists it in its Source Control view. */
  private control: vscode.SourceControl | null = null;
  private group: vscode.SourceControlResourceGroup | null = null;

  constructor(
    private readonly changes: EditorChanges,
    private readonly report: (error: unknown) => void,
  ) {
    this.lifetime.register(
      changes.onDidChange((why) => {
        if (why === 'review') this.list();
        this.markAll();
      }),
    );
    this.lifetime.register(vscode.window.onDidChangeVisibleTextEditors(() => this.markAll()));
    this.list();
    this.markAll();
  }

  provideOriginalResource(uri: vscode.Uri): vscode.Uri | undefined {
    const path = this.changes.pathOf(uri);
    return path === null ? undefined : acceptedUri(path);
  }

  dispose(): void {
    this.control?.dispose();
    this.lifetime.dispose();
  }

  private markAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const path = this.changes.pathOf(editor.document.uri);
      if (path === null || isInDiff(editor)) this.mark(editor, []);
      else this.changes.of(path).then((own) => this.mark(editor, own), this.report);
    }
  }

  private list(): void {
    const files = this.changes.files();
    if (files.length === 0) {
      this.control?.dispose();
      this.control = null;
      return;
    }
    if (this.control === null) {
      this.control = vscode.scm.createSourceControl('hermes', 'Hermes');
      this.control.inputBox.visible = false;
      this.control.count = 0;
      this.group = this.control.createResourceGroup('review', t('Changes to Review'));
    }
    // Set again, so that VS Code asks for the original again.
    this.control.quickDiffProvider = this;
    if (this.group !== null)
      this.group.resourceStates = files.map((uri) => ({
        resourceUri: uri,
        command: { title: t('Open'), command: 'vscode.open', arguments: [uri] },
      }));
  }

  private mark(editor: vscode.TextEditor, changes: readonly PlacedChange[]): void {
    const last = editor.document.lineCount - 1;
    editor.setDecorations(
      this.added,
      changes.filter(({ start, end }) => end > start).map((change) => this.option(change, change.end - 1, last)),
    );
    editor.setDecorations(
      this.removed,
      changes.filter(({ start, end }) => end === start).map((change) => this.option(change, change.start, last)),
    );
  }

  private option({ start, removed }: PlacedChange, end: number, last: number): vscode.DecorationOptions {
    const range = new vscode.Range(Math.min(start, last), 0, Math.min(end, last), 0);
    return removed.length === 0 ? { range } : { range, hoverMessage: removedText(removed) };
  }
}

const mostHovered = 40;

/** Removed lines as a hover shows them. */
function removedText(removed: readonly string[]): vscode.MarkdownString {
  const shown = removed.slice(0, mostHovered).map((line) => `-${line}`);
  const rest = removed.length > mostHovered ? '\n…' : '';
  return new vscode.MarkdownString().appendCodeblock(shown.join('\n') + rest, 'diff');
}

/** A diff editor marks its lines itself. */
function isInDiff({ document, viewColumn }: vscode.TextEditor): boolean {
  const input = vscode.window.tabGroups.all.find((group) => group.viewColumn === viewColumn)?.activeTab?.input;
  return !(input instanceof vscode.TabInputText) || input.uri.toString() !== document.uri.toString();
}
