import * as vscode from 'vscode';
import * as v from 'valibot';
import { t } from '../../../base/translate';
import { Owner } from '../../../base/disposable';
import type { CommandTable } from '../../../host/common/commands';
import type { EditorChanges, PlacedChange } from './editorChanges';

const inFile = v.object({ path: v.string() });
const named = v.object({ path: v.string(), id: v.string() });

/** Commands that go from change to change and keep or undo them, a status bar item with the number of changes, and
 *  the context keys for both: `hermes.inChangedFile`, `hermes.changesToReview`. */
export class ReviewInEditor extends Owner {
  private readonly item: vscode.StatusBarItem;
  private updates = 0;
  private readonly keys = new Map<string, boolean>();

  constructor(
    private readonly changes: EditorChanges,
    private readonly report: (error: unknown) => void,
  ) {
    super();
    this.item = this.lifetime.register(
      vscode.window.createStatusBarItem('hermes.changes', vscode.StatusBarAlignment.Right, 101),
    );
    this.item.name = t('Hermes: Changes to Review');
    this.item.command = 'hermes.nextChange';
    const update = (): void => this.update();
    this.lifetime.register(changes.onDidChange(update));
    this.lifetime.register(vscode.window.onDidChangeActiveTextEditor(update));
    this.lifetime.register(vscode.window.onDidChangeTextEditorSelection(update));
    this.update();
  }

  commands(): CommandTable {
    return {
      nextChange: () => this.goTo('next'),
      previousChange: () => this.goTo('previous'),
      keepChange: (target) => this.review(target, 'keep'),
      undoChange: (target) => this.review(target, 'revert'),
      showRemoved: (target) => this.showRemoved(target),
      undoRevertHere: (target) => this.undoRevert(target),
    };
  }

  private async goTo(direction: 'next' | 'previous'): Promise<void> {
    const all = await this.changes.all();
    const target = all[changeFrom(all, this.place(), direction)];
    if (target === undefined) {
      void vscode.window.showInformationMessage(t('No changes are left to review.'));
      return;
    }
    await show(target);
  }

  private async review(target: unknown, action: 'keep' | 'revert'): Promise<void> {
    const change = v.is(named, target) ? target : await this.changeHere();
    if (change === undefined) {
      void vscode.window.showInformationMessage(t('Place the cursor on a change by Hermes first.'));
      return;
    }
    const sentence = await this.changes.review(change, action);
    if (sentence !== null) void vscode.window.showWarningMessage(sentence);
  }

  /** Opens VS Code's own view of a change, at the change. */
  private async showRemoved(target: unknown): Promise<void> {
    if (!v.is(named, target)) return;
    const change = (await this.changes.of(target.path)).find(({ id }) => id === target.id);
    if (change === undefined) return;
    const editor = await show(change);
    const before = Math.max(0, change.start - 1);
    editor.selection = new vscode.Selection(before, 0, before, 0);
    await vscode.commands.executeCommand('editor.action.dirtydiff.next');
  }

  private async undoRevert(target: unknown): Promise<void> {
    const sentence = v.is(inFile, target) ? await this.changes.undoRevert(target.path) : null;
    if (sentence !== null) void vscode.window.showWarningMessage(sentence);
  }

  private async changeHere(): Promise<PlacedChange | undefined> {
    const place = this.place();
    const own = place === null ? [] : await this.changes.of(place.path);
    return place === null ? undefined : own[changeAt(own, place.path, place.line)];
  }

  /** Cursor of the active editor; null unless its file has changes to review. */
  private place(): { readonly path: string; readonly line: number } | null {
    const editor = vscode.window.activeTextEditor;
    const path = editor === undefined ? null : this.changes.pathOf(editor.document.uri);
    return editor === undefined || path === null ? null : { path, line: editor.selection.active.line };
  }

  private update(): void {
    this.setKey('inChangedFile', this.place() !== null);
    this.setKey('changesToReview', this.changes.hasFiles());
    const update = ++this.updates;
    this.changes.all().then(
      (all) => (update === this.updates && !this.lifetime.isDisposed ? this.render(all) : undefined),
      (error: unknown) => this.report(error),
    );
  }

  private setKey(key: string, value: boolean): void {
    if ((this.keys.get(key) ?? false) === value) return;
    this.keys.set(key, value);
    void vscode.commands.executeCommand('setContext', `hermes.${key}`, value);
  }

  private render(all: readonly PlacedChange[]): void {
    if (all.length === 0) {
      this.item.hide();
      return;
    }
    const place = this.place();
    const at = place === null ? -1 : changeAt(all, place.path, place.line);
    const count = String(all.length);
    const words =
      at === -1
        ? all.length === 1
          ? t('1 change')
          : t('{count} changes', { count })
        : t('{number} of {count} changes', { number: String(at + 1), count });
    this.item.text = `$(diff) ${words}`;
    this.item.tooltip = t('Changes by Hermes to review. Go to the next one.');
    this.item.accessibilityInformation = { label: t('Hermes: {changes}', { changes: words }) };
    this.item.show();
  }
}

/** Shows a change where its file is in sight, also in a multi-file diff; else opens the file. */
async function show({ uri, start }: PlacedChange): Promise<vscode.TextEditor> {
  const isTarget = (editor: vscode.TextEditor | undefined): editor is vscode.TextEditor =>
    editor?.document.uri.toString() === uri.toString();
  const active = vscode.window.activeTextEditor;
  const editor = isTarget(active)
    ? active
    : await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  const line = Math.min(start, editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(line, 0, line, 0);
  editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

/** A change at its place, as navigation sees it. Lines count from 0; `end` is the line after its last one. */
export interface ChangePlace {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Index of the change at a line; -1 when there is none. A change that only removes lines is at the line before and
 *  after them. */
export function changeAt(changes: readonly ChangePlace[], path: string, line: number): number {
  return changes.findIndex((change) => change.path === path && isAtLine(change, line));
}

/** Index of the change to go to from a line, through all files and around the end. -1 when there is none. */
export function changeFrom(
  changes: readonly ChangePlace[],
  from: { readonly path: string; readonly line: number } | null,
  direction: 'next' | 'previous',
): number {
  if (changes.length === 0) return -1;
  const here = from === null ? [] : changes.flatMap(({ path }, index) => (path === from.path ? [index] : []));
  const [first] = here;
  if (from === null || first === undefined) return direction === 'next' ? 0 : changes.length - 1;
  const at = changeAt(changes, from.path, from.line);
  if (at !== -1) return (at + (direction === 'next' ? 1 : changes.length - 1)) % changes.length;
  // Between two changes: their order decides.
  const after = here.find((index) => (changes[index]?.start ?? 0) > from.line) ?? (here.at(-1) ?? 0) + 1;
  return (direction === 'next' ? after : after + changes.length - 1) % changes.length;
}

function isAtLine({ start, end }: ChangePlace, line: number): boolean {
  return start === end ? line === start || line === start - 1 : line >= start && line < end;
}
