import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import { toDisposable, Owner } from '../../../base/disposable';
import { uriOfPath } from '../../../host/workspace/editorPaths';

/** Maximum number of turns whose files are watched: the ones most recently shown in views. */
const mostTurns = 100;
/** Debounce in milliseconds before a turn is checked again: a branch switch changes many files at once. */
const calmMs = 400;

interface WatchedTurn {
  readonly sessionId: string;
  readonly turnUid: string;
}

/** Notifies when a file of a turn changes, on disk or in an editor. */
export class FileWatch extends Owner {
  private readonly paths = new Map<string, { readonly turn: WatchedTurn; readonly paths: ReadonlySet<string> }>();
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly onChange: (turn: WatchedTurn) => void,
  ) {
    super();
    const watcher = this.lifetime.register(vscode.workspace.createFileSystemWatcher('**/*'));
    const changed = (uri: vscode.Uri): void => this.changed(uri);
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete])
      this.lifetime.register(event(changed));
    this.lifetime.register(vscode.workspace.onDidChangeTextDocument(({ document }) => this.changed(document.uri)));
    this.lifetime.register(vscode.workspace.onDidSaveTextDocument(({ uri }) => this.changed(uri)));
    this.lifetime.register(toDisposable(() => this.waiting.forEach((cancel) => cancel())));
  }

  /** Watches the files of a turn. Stops watching the oldest turns beyond the limit. */
  watch(turn: WatchedTurn, paths: readonly string[]): void {
    this.paths.delete(turn.turnUid);
    if (paths.length > 0)
      this.paths.set(turn.turnUid, { turn, paths: new Set(paths.map((path) => uriOfPath(path).fsPath)) });
    for (const oldest of [...this.paths.keys()].slice(0, Math.max(0, this.paths.size - mostTurns)))
      this.paths.delete(oldest);
  }

  private changed(uri: vscode.Uri): void {
    if (this.paths.size === 0 || uri.scheme === 'git' || uri.scheme === 'output') return;
    for (const { turn, paths } of this.paths.values()) if (paths.has(uri.fsPath)) this.later(turn);
  }

  private later(turn: WatchedTurn): void {
    this.waiting.get(turn.turnUid)?.();
    const cancel = this.clock.after(calmMs, () => {
      this.waiting.delete(turn.turnUid);
      this.onChange(turn);
    });
    this.waiting.set(turn.turnUid, cancel);
  }
}
