import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { Owner } from '../../../base/disposable';
import type { EditorChanges, PlacedChange } from './editorChanges';

/** Longest line in characters that is shown whole above its change. */
const longestShown = 60;

/** Shows Keep and Undo above each change of an agent, and Undo Revert where one was undone. VS Code shows it where
 *  `editor.codeLens` is on, and in diff editors where `diffEditor.codeLens` is on. */
export class ReviewLenses extends Owner implements vscode.CodeLensProvider {
  private readonly changed = this.lifetime.register(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly changes: EditorChanges) {
    super();
    this.lifetime.register(changes.onDidChange(() => this.changed.fire()));
    this.lifetime.register(vscode.languages.registerCodeLensProvider({ scheme: '*' }, this));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const path = this.changes.pathOf(document.uri);
    const undone = await this.changes.undoneAt(document.uri);
    return [
      ...(path === null ? [] : await this.changes.of(path)).flatMap((change) => lensesOf(document, change)),
      ...(undone === null ? [] : [undoLens(document, undone)]),
    ];
  }
}

function lensesOf(document: vscode.TextDocument, { path, id, start, removed }: PlacedChange): vscode.CodeLens[] {
  const range = lineRange(document, start);
  const lens = (title: string, tooltip: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, tooltip, command, arguments: [{ path, id }] });
  return [
    lens(t('Keep'), t('Keep this change'), 'hermes.keepChange'),
    lens(t('Undo'), t('Undo this change'), 'hermes.undoChange'),
    ...(removed.length === 0
      ? []
      : [lens(removedWords(removed), t('Show what was here before'), 'hermes.showRemoved')]),
  ];
}

/** "− const port = 80;", or "− 3 lines". */
function removedWords(removed: readonly string[]): string {
  const [only = ''] = removed;
  const text = only.trim();
  if (removed.length > 1) return `− ${t('{count} lines', { count: String(removed.length) })}`;
  return `− ${text === '' ? t('1 line') : text.length > longestShown ? `${text.slice(0, longestShown)}…` : text}`;
}

function undoLens(document: vscode.TextDocument, { path, line }: { path: string; line: number }): vscode.CodeLens {
  const title = t('Undo Revert');
  const command = 'hermes.undoRevertHere';
  return new vscode.CodeLens(lineRange(document, line), { title, command, arguments: [{ path }] });
}

function lineRange(document: vscode.TextDocument, wanted: number): vscode.Range {
  const line = Math.min(wanted, document.lineCount - 1);
  return new vscode.Range(line, 0, line, 0);
}
