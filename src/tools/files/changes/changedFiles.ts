import type { Clock } from '../../../base/clock';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/sessionStore';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../../transcript/changedFile';
import type { FileEditor, TextFile } from '../fileEditor';
import { hashOf } from './contentHash';
import { beforeAll, type FileHistory, historiesOf } from './fileHistory';
import { FileReview } from './fileReview';
import { hunksBetween, type PlacedHunk } from './hunks';
import { KeptHunks } from './keptHunks';
import { linesOf } from './lineMerge';
import { PresentFiles, type PresentFile, type RawFiles } from './presentFiles';
import { newestOfEach, type RevertedFile, RevertRecords } from './revertRecords';
import { Reverting } from './reverting';
import { allDone, conflictOf, outcomeOf, type FileOutcome, type ReviewTexts } from './reviewTexts';
import { textOf, undo } from './undoing';

export interface ChangedFilesNeeds {
  readonly store: Pick<
    SessionStore,
    | 'recordFileChanges'
    | 'completeFileChanges'
    | 'fileChangesOf'
    | 'fileChangesFrom'
    | 'fileContent'
    | 'markReviewed'
    | 'getTurn'
    | 'getMeta'
    | 'setMeta'
  >;
  readonly editor: FileEditor;
  readonly raw: RawFiles;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uid'>;
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
  private readonly records: RevertRecords;
  private readonly reverting: Reverting;
  private readonly changes = new Emitter<ChangedTurn>();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly needs: ChangedFilesNeeds) {
    this.files = new PresentFiles(needs.editor, needs.raw);
    this.review = new FileReview((hash) => needs.store.fileContent(hash), needs.shown);
    this.kept = new KeptHunks(needs.store);
    this.records = new RevertRecords(needs);
    this.reverting = new Reverting({ ...needs, files: this.files, records: this.records });
  }

  readonly onDidChange = (listener: (changed: ChangedTurn) => void): Disposable => this.changes.event(listener);

  /** Changed files by turn. Turns without changes are left out. */
  async ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>> {
    const byTurn = new Map<string, FileChange[]>();
    for (const change of turnUids.length === 0 ? [] : await this.needs.store.fileChangesOf(turnUids)) {
      byTurn.set(change.turnUid, [...(byTurn.get(change.turnUid) ?? []), change]);
    }
    const sessions = new Set([...byTurn.values()].flat().map(({ sessionId }) => sessionId));
    const reverts = await this.records.of([...sessions]);
    const described = await Promise.all(
      [...byTurn].map(
        async ([turnUid, changes]) =>
          [
            turnUid,
            await this.describe(
              historiesOf(changes),
              reverts.filter((file) => file.turnUid === turnUid),
            ),
          ] as const,
      ),
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
      const [first] = histories;
      if (first === undefined) return allDone;
      if (action === 'revert') return this.revertAll(firstOf(first).sessionId, turnUid, histories, overwrite);
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
    return this.inOrder(async () => {
      const histories = historiesOf(await this.notReverted(turnUid));
      const turn = await this.needs.store.getTurn(turnUid);
      return turn === null ? allDone : this.revertAll(turn.sessionId, turnUid, histories, false);
    });
  }

  /** Undoes the newest revert of each of these files of a turn. `paths` null: of every file. Later changes in the same
   *  lines are not overwritten. */
  undoReverts(turnUid: string, paths: readonly string[] | null): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const turn = await this.needs.store.getTurn(turnUid);
      const all = turn === null ? [] : await this.records.of([turn.sessionId]);
      return this.undoAll(
        newestOfEach(all.filter((file) => file.turnUid === turnUid && (paths === null || paths.includes(file.path)))),
      );
    });
  }

  /** Files of the newest revert in these sessions that can be undone. Empty when there is none. */
  async newestRevert(sessionIds: readonly string[]): Promise<readonly RevertedFile[]> {
    const all = await this.records.of(sessionIds);
    const newest = all.toSorted((one, other) => one.change.changedAt - other.change.changedAt).at(-1);
    return all.filter(({ revert }) => revert === newest?.revert);
  }

  undoRevert(files: readonly RevertedFile[]): Promise<ReviewOutcome> {
    return this.inOrder(() => this.undoAll(files));
  }

  private async notReverted(turnUid: string): Promise<readonly FileChange[]> {
    return (await this.needs.store.fileChangesFrom(turnUid)).filter(({ reviewed }) => reviewed?.kind !== 'reverted');
  }

  private async historyOf(turnUid: string, path: string): Promise<FileHistory | null> {
    return (
      historiesOf(await this.needs.store.fileChangesOf([turnUid])).find((history) => history.path === path) ?? null
    );
  }

  private describe(
    histories: readonly FileHistory[],
    reverts: readonly RevertedFile[] = [],
  ): Promise<readonly ChangedFile[]> {
    return Promise.all(
      histories.map(async (history) => {
        const present = await this.presentBytes(history.path);
        const file = await this.review.describe(history, present);
        const { turnUid, sessionId } = firstOf(history);
        const isPartly = file.state === 'open' && (await this.kept.of(turnUid, sessionId, history.path)).size > 0;
        const revert = newestOfEach(reverts).find(({ path }) => path === history.path);
        // A revert that was undone in the editor leaves nothing to undo.
        const canUndo = revert !== undefined && revert.change.before !== hashOf(present);
        return { ...file, ...(isPartly ? { state: 'partly' } : {}), ...(canUndo ? { canUndoRevert: true } : {}) };
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

  private async revertAll(
    sessionId: string,
    turnUid: string,
    histories: readonly FileHistory[],
    overwrite: boolean,
  ): Promise<ReviewOutcome> {
    const revert = this.records.newRevert({ sessionId, turnUid });
    const outcomes: FileOutcome[] = [];
    const reverted: FileHistory[] = [];
    for (const history of histories) {
      const outcome = await this.reverting.revert(revert, history, overwrite);
      outcomes.push(this.outcomeAt(history.path, outcome));
      if (outcome === 'done') reverted.push(history);
    }
    await this.mark(reverted, 'reverted', revert.at);
    return outcomeOf(outcomes, this.needs.words);
  }

  private async undoAll(files: readonly RevertedFile[]): Promise<ReviewOutcome> {
    const outcomes: FileOutcome[] = [];
    const undone: RevertedFile[] = [];
    for (const file of files.toReversed()) {
      const outcome = await this.reverting.undo(file);
      outcomes.push(this.outcomeAt(file.path, outcome === 'conflict' ? 'notUndone' : outcome));
      if (outcome === 'done') undone.push(file);
    }
    await this.records.markUndone(undone);
    const turns = new Map<string, Pick<FileChange, 'sessionId' | 'turnUid'>>();
    for (const { sessionId, turnUid, path, wasKept, change } of undone) {
      const reverted = (await this.needs.store.fileChangesFrom(turnUid)).filter(
        (other) => other.path === path && other.reviewed?.kind === 'reverted' && other.reviewed.at === change.changedAt,
      );
      if (reverted.length > 0)
        await this.needs.store.markReviewed(
          reverted.map(({ uid }) => uid),
          wasKept ? 'kept' : null,
          this.needs.clock.now(),
        );
      for (const turn of [{ sessionId, turnUid }, ...reverted]) turns.set(turn.turnUid, turn);
    }
    for (const turn of turns.values()) await this.tell(turn);
    return outcomeOf(outcomes, this.needs.words);
  }

  private outcomeAt(path: string, outcome: FileOutcome['outcome']): FileOutcome {
    return { path, shown: this.needs.shown(path), outcome };
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
    const { sessionId, turnUid } = firstOf(history);
    if (hunks.length === 1) return this.revertAll(sessionId, turnUid, [history], false);
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
    const revert = this.records.newRevert({ sessionId, turnUid });
    const outcome = await this.reverting.writeText(revert, history, present, restored.join(''));
    if (outcome !== 'done') return outcomeOf([this.outcomeAt(history.path, outcome)], this.needs.words);
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

  private async mark(
    histories: readonly FileHistory[],
    kind: 'reverted' | 'kept',
    at = this.needs.clock.now(),
  ): Promise<void> {
    const changes = histories.flatMap((history) => history.changes);
    if (changes.length > 0)
      await this.needs.store.markReviewed(
        changes.map(({ uid }) => uid),
        kind,
        at,
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
