import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../../base/disposable';
import type { ChangedFiles } from '../core/changedFiles';
import { uriOfPath } from '../../../host/workspace/editorPaths';
import type { OpenChanges } from './openChanges';

/** A change at its place in an editor. Lines count from 0; `end` is the line after its last one. A change that only
 *  removes lines has none: `end` equals `start`. */
export interface PlacedChange {
  readonly uri: vscode.Uri;
  readonly path: string;
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** Lines that the change replaced, without line ends. */
  readonly removed: readonly string[];
}

const done = { sentence: null };
/** Debounce in milliseconds before marks follow what the user types. */
const calmMs = 150;

/** Changes that are neither kept nor reverted, as editors show them: read on demand, cached until the file or its
 *  review changes. */
export class EditorChanges implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<'text' | 'review'>());
  private readonly fileChanges = this.lifetime.register(new Emitter<readonly vscode.Uri[]>());
  private cancel: (() => void) | null = null;
  private paths: ReadonlyMap<string, string> = new Map();
  private readonly cache = new Map<string, Promise<readonly PlacedChange[]>>();
  /** Where a change was undone last, by path. */
  private readonly undone = new Map<string, { readonly line: number; readonly revert: string }>();
  /** Files with a review that is running: a second press is none of the next change. */
  private readonly reviewing = new Set<string>();

  /** Fires when a list of changes may be another one now. text: only because the user typed. */
  readonly onDidChange = this.changes.event;
  /** Fires with files that have changes now, or had some before. */
  readonly onDidChangeFiles = this.fileChanges.event;

  constructor(
    private readonly open: OpenChanges,
    private readonly changed: ChangedFiles,
    clock: Clock,
  ) {
    this.lifetime.register(open.onDidChange((paths) => this.filesChanged(paths)));
    this.lifetime.register(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const path = this.pathOf(document.uri) ?? [...this.undone.keys()].find((one) => isAt(document.uri, one));
        if (path === undefined) return;
        if (!this.reviewing.has(path)) this.undone.delete(path);
        this.cache.delete(path);
        this.cancel?.();
        this.cancel = clock.after(calmMs, () => this.changes.fire('text'));
      }),
    );
  }

  /** Path of a file with open changes; null for every other document. */
  pathOf(uri: vscode.Uri): string | null {
    return this.paths.get(uri.toString()) ?? null;
  }

  /** Files with changes to review that are there. */
  files(): readonly vscode.Uri[] {
    return this.open.files().flatMap(({ path, kind }) => (kind === 'deleted' ? [] : [uriOfPath(path)]));
  }

  hasFiles(): boolean {
    return this.paths.size > 0;
  }

  /** Open changes of a file, from top to bottom. Empty where the file is deleted or not text. */
  of(path: string): Promise<readonly PlacedChange[]> {
    const known = this.cache.get(path);
    if (known !== undefined) return known;
    const read = this.read(path);
    this.cache.set(path, read);
    read.catch(() => this.cache.delete(path));
    return read;
  }

  /** Open changes of all files, each file from top to bottom. */
  async all(): Promise<readonly PlacedChange[]> {
    return (await Promise.all(this.open.files().map(({ path }) => this.of(path)))).flat();
  }

  /** Keeps or undoes one change. Returns a sentence for the user when that failed; else null. */
  async review({ path, id }: Pick<PlacedChange, 'path' | 'id'>, action: 'keep' | 'revert'): Promise<string | null> {
    if (this.reviewing.has(path)) return null;
    this.reviewing.add(path);
    try {
      const line = (await this.of(path)).find((change) => change.id === id)?.start;
      const { sentence } = await this.changed.reviewHunk(null, path, id, action);
      const revert = action === 'revert' && sentence === null ? await this.changed.newestRevertOf(path) : null;
      if (revert !== null && line !== undefined) this.undone.set(path, { line, revert: revert.revert });
      else this.undone.delete(path);
      this.drop([path]);
      return sentence;
    } finally {
      this.reviewing.delete(path);
    }
  }

  /** Line at which a change of this file was undone, as long as that can be taken back. */
  async undoneAt(uri: vscode.Uri): Promise<{ readonly path: string; readonly line: number } | null> {
    const found = [...this.undone].find(([path]) => isAt(uri, path));
    if (found === undefined) return null;
    const [path, { line, revert }] = found;
    if ((await this.changed.newestRevertOf(path))?.revert === revert) return { path, line };
    this.undone.delete(path);
    return null;
  }

  /** Takes back what was undone last in this file. */
  async undoRevert(path: string): Promise<string | null> {
    const wanted = this.undone.get(path)?.revert;
    const revert = await this.changed.newestRevertOf(path);
    this.undone.delete(path);
    const { sentence } = revert?.revert === wanted && revert ? await this.changed.undoRevert([revert]) : done;
    this.drop([path]);
    return sentence;
  }

  dispose(): void {
    this.cancel?.();
    this.lifetime.dispose();
  }

  private async read(path: string): Promise<readonly PlacedChange[]> {
    const file = this.open.files().find((candidate) => candidate.path === path);
    if (file === undefined || file.kind === 'deleted') return [];
    const uri = uriOfPath(path);
    const hunks = await this.changed.hunks(null, path);
    return hunks.map(({ id, line, added, removed }) => ({
      uri,
      path,
      id,
      start: line - 1,
      end: line - 1 + added.length,
      removed,
    }));
  }

  private filesChanged(changed: readonly string[]): void {
    const before = this.paths;
    this.paths = new Map(this.open.files().map(({ path }) => [uriOfPath(path).toString(), path]));
    this.drop(changed);
    const uris = [...new Set([...before.keys(), ...this.paths.keys()])].filter(
      (uri) => before.has(uri) !== this.paths.has(uri),
    );
    if (uris.length > 0) this.fileChanges.fire(uris.map((uri) => vscode.Uri.parse(uri)));
  }

  private drop(paths: readonly string[]): void {
    for (const path of paths) this.cache.delete(path);
    this.changes.fire('review');
  }
}

function isAt(uri: vscode.Uri, path: string): boolean {
  return uriOfPath(path).toString() === uri.toString();
}
