import type { Clock } from '../../../base/clock';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/sessionStore';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../../transcript/changedFile';
import { CannotWrite, FileChanged, type FileEditor, type TextFile } from '../fileEditor';
import { beforeAll, type FileHistory, historiesOf } from './fileHistory';
import { FileReview } from './fileReview';
import { hunksBetween, type PlacedHunk } from './hunks';
import { KeptHunks } from './keptHunks';
import { linesOf } from './lineMerge';
import { PresentFiles, type PresentFile, type RawFiles } from './presentFiles';
import { allDone, conflictOf, outcomeOf, type FileOutcome, type ReviewTexts } from './reviewTexts';
import { textOf, undo } from './undoing';

export interface ChangedFilesNeeds {
  readonly store: Pick<
    SessionStore,
    'fileChangesOf' | 'fileChangesFrom' | 'fileContent' | 'markReviewed' | 'getMeta' | 'setMeta'
  >;
  readonly editor: FileEditor;
  readonly raw: RawFiles;
  readonly clock: Clock;
  /** Converts a path to the form that users read. */
  readonly shown: (path: string) => string;
  readonly words: ReviewTexts;
  readonly log: Log;
}

export interface ChangedTurn {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

/** Changes of one file that can be kept or reverted individually. */
interface OpenedHunks {
  readonly hunks: readonly PlacedHunk[];
  /** Null: view only. The file was changed in the same places since, is not text, or was created or deleted as a
   *  whole. */
  readonly present: (PresentFile & { readonly text: TextFile }) | null;
  readonly earlier: readonly string[];
}

/** Files that turns changed, and operations to keep or revert them: whole turns, files, or single changes. Later
 *  changes by the user are preserved unless `overwrite` is true. Rejects with `StoreError`. */
export class ChangedFiles {
  private readonly files: PresentFiles;
  private readonly review: FileReview;
  private readonly kept: KeptHunks;
  private readonly changes = new Emitter<ChangedTurn>();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly needs: ChangedFilesNeeds) {
    this.files = new PresentFiles(needs.editor, needs.raw);
    this.review = new FileReview((hash) => needs.store.fileContent(hash), needs.shown);
    this.kept = new KeptHunks(needs.store);
  }

  readonly onDidChange = (listener: (changed: ChangedTurn) => void): Disposable => this.changes.event(listener);

  /** Changed files by turn. Turns without changes are left out. */
  async ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>> {
    const byTurn = new Map<string, FileChange[]>();
    for (const change of turnUids.length === 0 ? [] : await this.needs.store.fileChangesOf(turnUids)) {
      byTurn.set(change.turnUid, [...(byTurn.get(change.turnUid) ?? []), change]);
    }
    const described = await Promise.all(
      [...byTurn].map(async ([turnUid, changes]) => [turnUid, await this.describe(historiesOf(changes))] as const),
    );
    return Object.fromEntries(described.filter(([, files]) => files.length > 0));
  }

  /** Emits the changed files of a turn again: one of its calls changed a file, or someone else changed one of its
   *  files. */
  async tell({ sessionId, turnUid }: { readonly sessionId: string; readonly turnUid: string }): Promise<void> {
    this.changes.fire({ sessionId, turnUid, files: (await this.ofTurns([turnUid]))[turnUid] ?? [] });
  }

  /** Changes of this turn and all later ones that are not reverted yet, as `revertFrom` would revert them. */
  async from(turnUid: string): Promise<readonly ChangedFile[]> {
    return this.describe(historiesOf(await this.notReverted(turnUid)));
  }

  /** Content of a file before the turn; null when the file did not exist or the content is not stored. */
  async before(turnUid: string, path: string): Promise<Uint8Array | null> {
    const history = await this.historyOf(turnUid, path);
    const hash = history === null ? null : beforeAll(history);
    return hash === null ? null : this.needs.store.fileContent(hash);
  }

  async hunks(turnUid: string, path: string): Promise<readonly FileHunk[]> {
    const history = await this.historyOf(turnUid, path);
    return history === null ? [] : (await this.openHunks(turnUid, history)).hunks.map(({ hunk }) => hunk);
  }

  /** `paths` null: every file of the turn. */
  reviewFiles(
    turnUid: string,
    paths: readonly string[] | null,
    action: 'keep' | 'revert',
    overwrite: boolean,
  ): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const histories = historiesOf(await this.needs.store.fileChangesOf([turnUid])).filter(
        ({ path }) => paths === null || paths.includes(path),
      );
      if (action === 'revert') return this.revertAll(histories, overwrite);
      await this.mark(histories, 'kept');
      return allDone;
    });
  }

  reviewHunk(turnUid: string, path: string, hunkId: string, action: 'keep' | 'revert'): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const history = await this.historyOf(turnUid, path);
      if (history === null) return { sentence: this.needs.words.gone(this.needs.shown(path)), conflicts: [] };
      const opened = await this.openHunks(turnUid, history);
      const found = opened.hunks.find(({ hunk }) => hunk.id === hunkId);
      if (found === undefined) return { sentence: this.needs.words.gone(this.needs.shown(path)), conflicts: [] };
      return action === 'keep' ? this.keepHunk(history, opened, found) : this.revertHunk(history, opened, found);
    });
  }

  /** Reverts the changes of this turn and all later ones, the last change first. */
  revertFrom(turnUid: string): Promise<ReviewOutcome> {
    return this.inOrder(async () => this.revertAll(historiesOf(await this.notReverted(turnUid)), false));
  }

  private async notReverted(turnUid: string): Promise<readonly FileChange[]> {
    return (await this.needs.store.fileChangesFrom(turnUid)).filter(({ reviewed }) => reviewed?.kind !== 'reverted');
  }

  private async historyOf(turnUid: string, path: string): Promise<FileHistory | null> {
    return (
      historiesOf(await this.needs.store.fileChangesOf([turnUid])).find((history) => history.path === path) ?? null
    );
  }

  private describe(histories: readonly FileHistory[]): Promise<readonly ChangedFile[]> {
    return Promise.all(
      histories.map(async (history) => {
        const file = await this.review.describe(history, await this.presentBytes(history.path));
        const { turnUid, sessionId } = firstOf(history);
        return file.state === 'open' && (await this.kept.of(turnUid, sessionId, history.path)).size > 0
          ? { ...file, state: 'partly' }
          : file;
      }),
    );
  }

  /** Treats a file that cannot be read (a folder took its name) as deleted: this is for display only. */
  private async presentBytes(path: string): Promise<Uint8Array | null> {
    return this.files.read(path).then(
      ({ bytes }) => bytes,
      () => null,
    );
  }

  private async revertAll(histories: readonly FileHistory[], overwrite: boolean): Promise<ReviewOutcome> {
    const outcomes: FileOutcome[] = [];
    const reverted: FileHistory[] = [];
    for (const history of histories) {
      const outcome = await this.revert(history, overwrite);
      outcomes.push({ path: history.path, shown: this.needs.shown(history.path), outcome });
      if (outcome === 'done') reverted.push(history);
    }
    await this.mark(reverted, 'reverted');
    return outcomeOf(outcomes, this.needs.words);
  }

  private async revert(history: FileHistory, overwrite: boolean): Promise<FileOutcome['outcome']> {
    try {
      const present = await this.files.read(history.path);
      const target = await this.targetOf(history, present, overwrite);
      if (target === 'conflict' || target === 'notKept') return target;
      if (target.bytes !== present.bytes) await this.files.put(present, target.bytes);
      return 'done';
    } catch (error) {
      if (error instanceof FileChanged) return 'conflict';
      if (!(error instanceof CannotWrite)) throw error;
      this.notWritten(history, error);
      return 'cannotWrite';
    }
  }

  /** The user is notified which file failed; the reason goes to the log. */
  private notWritten({ path }: FileHistory, { message }: Error): void {
    this.needs.log.warn(`${path} was not reverted: ${message}`);
  }

  private async targetOf(
    history: FileHistory,
    present: PresentFile,
    overwrite: boolean,
  ): Promise<{ readonly bytes: Uint8Array | null } | 'conflict' | 'notKept'> {
    const undone = await undo(history, present.bytes, (hash) => this.needs.store.fileContent(hash));
    if (undone.kind === 'undone') return undone;
    if (undone.kind === 'conflict' && !overwrite) return 'conflict';
    const before = beforeAll(history);
    const bytes = before === null ? null : await this.needs.store.fileContent(before);
    return before !== null && bytes === null ? 'notKept' : { bytes };
  }

  private async keepHunk(history: FileHistory, { hunks }: OpenedHunks, { hunk }: PlacedHunk): Promise<ReviewOutcome> {
    const { sessionId, turnUid } = firstOf(history);
    await this.kept.keep(turnUid, sessionId, history.path, hunk.id);
    if (hunks.every((other) => other.hunk.id === hunk.id || other.hunk.state === 'kept'))
      await this.mark([history], 'kept');
    else await this.tell(firstOf(history));
    return allDone;
  }

  private async revertHunk(
    history: FileHistory,
    opened: OpenedHunks,
    { at, hunk }: PlacedHunk,
  ): Promise<ReviewOutcome> {
    const { present, hunks, earlier } = opened;
    if (hunks.length === 1) return this.revertAll([history], false);
    if (present === null) return conflictOf(history.path, this.needs.shown(history.path), this.needs.words);
    const lines = linesOf(present.text.text);
    const before =
      at -
      hunks
        .slice(
          0,
          hunks.findIndex((other) => other.hunk.id === hunk.id),
        )
        .reduce((sum, other) => sum + other.hunk.added.length - other.hunk.removed.length, 0);
    const restored = [
      ...lines.slice(0, at),
      ...earlier.slice(before, before + hunk.removed.length),
      ...lines.slice(at + hunk.added.length),
    ];
    try {
      await this.files.putText(present, restored.join(''));
    } catch (error) {
      if (!(error instanceof FileChanged) && !(error instanceof CannotWrite)) throw error;
      this.notWritten(history, error);
      return conflictOf(history.path, this.needs.shown(history.path), this.needs.words);
    }
    await this.tell(firstOf(history));
    return allDone;
  }

  /** Changes of the turn that are still in the present file. If that cannot be determined, the changes that the turn
   *  made. */
  private async openHunks(turnUid: string, history: FileHistory): Promise<OpenedHunks> {
    const { path } = history;
    const kept = await this.kept.of(turnUid, firstOf(history).sessionId, path);
    const present = await this.files.read(path);
    const undone = await undo(history, present.bytes, (hash) => this.needs.store.fileContent(hash));
    if (undone.kind === 'undone' && undone.bytes !== null && present.text !== null) {
      const earlier = textOf(path, undone.bytes);
      if (earlier !== null) {
        const lines = linesOf(earlier.text);
        return {
          hunks: hunksBetween(lines, linesOf(present.text.text), kept),
          present: { ...present, text: present.text },
          earlier: lines,
        };
      }
    }
    const [from, to] = [
      await this.linesOfContent(path, beforeAll(history)),
      await this.linesOfContent(path, history.stretches.at(-1)?.after ?? null),
    ];
    return {
      hunks: from === null || to === null ? [] : hunksBetween(from, to, kept),
      present: null,
      earlier: from ?? [],
    };
  }

  private async linesOfContent(path: string, hash: string | null): Promise<readonly string[] | null> {
    const bytes = hash === null ? new Uint8Array() : await this.needs.store.fileContent(hash);
    const text = bytes === null ? null : textOf(path, bytes);
    return text === null ? null : linesOf(text.text);
  }

  private async mark(histories: readonly FileHistory[], kind: 'reverted' | 'kept'): Promise<void> {
    const changes = histories.flatMap((history) => history.changes);
    if (changes.length > 0)
      await this.needs.store.markReviewed(
        changes.map(({ uid }) => uid),
        kind,
        this.needs.clock.now(),
      );
    const turns = new Map(changes.map((change) => [change.turnUid, change]));
    for (const change of turns.values()) await this.tell(change);
  }

  /** Runs reviews one after the other: the second must see the result of the first. */
  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }
}

function firstOf({ changes }: FileHistory): FileChange {
  const first = changes[0];
  if (first === undefined) throw new Error('a file without changes');
  return first;
}
