import type { Clock } from '../../../base/clock';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/sessionStore';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../../transcript/changedFile';
import type { FileEditor } from '../fileEditor';
import { hashOf } from './contentHash';
import { beforeAll, type FileHistory, firstOf, historiesOf } from './fileHistory';
import { FileReview } from './fileReview';
import { FileHunks } from './fileHunks';
import { HunkReview } from './hunkReview';
import { KeptHunks } from './keptHunks';
import { PresentFiles, type RawFiles } from './presentFiles';
import { newestOfEach, type RevertedFile, RevertRecords } from './revertRecords';
import { Reverting } from './reverting';
import { allDone, outcomeOf, type FileOutcome, type ReviewTexts } from './reviewTexts';

export interface ChangedFilesDeps {
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
  readonly texts: ReviewTexts;
  /** Asks the user before a revert writes such a file: see `Reverting`. */
  readonly mayWrite: (path: string, bytes: Uint8Array | null) => Promise<boolean>;
  readonly log: Log;
}

export interface ChangedTurn {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly files: readonly ChangedFile[];
}

/** File in a review of several turns. */
export interface ReviewedFile {
  readonly path: string;
  /** Turn that changed it first: `before` of that turn is the content before all. Null: there was no file. */
  readonly firstTurn: string | null;
}

/** Files that turns changed, and operations to keep or revert them: whole turns, files, or single changes. Later
 *  changes by the user are preserved unless `overwrite` is true. Rejects with `StoreError`. */
export class ChangedFiles {
  private readonly files: PresentFiles;
  private readonly review: FileReview;
  private readonly kept: KeptHunks;
  private readonly fileHunks: FileHunks;
  private readonly single: HunkReview;
  private readonly records: RevertRecords;
  private readonly reverting: Reverting;
  private readonly changes = new Emitter<ChangedTurn>();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: ChangedFilesDeps) {
    this.files = new PresentFiles(deps.editor, deps.raw);
    this.review = new FileReview((hash) => deps.store.fileContent(hash), deps.shown);
    this.kept = new KeptHunks(deps.store);
    this.fileHunks = new FileHunks({ store: deps.store, files: this.files, kept: this.kept });
    this.records = new RevertRecords(deps);
    this.reverting = new Reverting({ ...deps, files: this.files, records: this.records });
    this.single = new HunkReview({
      ...deps,
      hunks: this.fileHunks,
      kept: this.kept,
      records: this.records,
      reverting: this.reverting,
      mark: (histories, kind) => this.mark(histories, kind),
      emitChanges: (turn) => this.emitChanges(turn),
      revertFile: (history) => this.revertAll(firstOf(history).sessionId, firstOf(history).turnUid, [history], false),
    });
  }

  readonly onDidChange = (listener: (changed: ChangedTurn) => void): Disposable => this.changes.event(listener);

  /** Changed files by turn. Turns without changes are left out. */
  async ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>> {
    const byTurn = new Map<string, FileChange[]>();
    for (const change of turnUids.length === 0 ? [] : await this.deps.store.fileChangesOf(turnUids)) {
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
  async emitChanges({ sessionId, turnUid }: { readonly sessionId: string; readonly turnUid: string }): Promise<void> {
    this.changes.fire({ sessionId, turnUid, files: (await this.ofTurns([turnUid]))[turnUid] ?? [] });
  }

  /** Changes of this turn and all later ones that are not reverted yet, as `revertFrom` would revert them. */
  async from(turnUid: string): Promise<readonly ChangedFile[]> {
    return this.describe(historiesOf(await this.notReverted(turnUid)));
  }

  /** Files that these turns changed together, in the order in which they were first changed. */
  async across(turnUids: readonly string[]): Promise<readonly ReviewedFile[]> {
    return historiesOf(await this.deps.store.fileChangesOf(turnUids)).map(reviewed);
  }

  /** Files that this turn and all later ones changed, shown or not, with those of sub-agents. */
  async acrossFrom(turnUid: string): Promise<readonly ReviewedFile[]> {
    return historiesOf(await this.deps.store.fileChangesFrom(turnUid)).map(reviewed);
  }

  /** Content of a file before the turn; null when the file did not exist or the content is not stored. */
  async before(turnUid: string, path: string): Promise<Uint8Array | null> {
    const history = await this.historyOf([turnUid], path);
    const hash = history === null ? null : beforeAll(history);
    return hash === null ? null : this.deps.store.fileContent(hash);
  }

  async hunks(turnUid: string, path: string): Promise<readonly FileHunk[]> {
    const history = await this.historyOf([turnUid], path);
    return history === null ? [] : (await this.fileHunks.open(history)).hunks.map(({ hunk }) => hunk);
  }

  /** `paths` null: every file of the turn. */
  reviewFiles(
    turnUid: string,
    paths: readonly string[] | null,
    action: 'keep' | 'revert',
    overwrite: boolean,
  ): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const histories = historiesOf(await this.deps.store.fileChangesOf([turnUid])).filter(
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
      const history = await this.historyOf([turnUid], path);
      return this.single.review(history, path, hunkId, action, (found) => this.fileHunks.open(found));
    });
  }

  /** Changes that these turns made to a file together, as an editor shows them: see `FileHunks.openInEditor`. */
  async hunksInEditor(turnUids: readonly string[], path: string): Promise<readonly FileHunk[]> {
    const history = await this.historyOf(turnUids, path);
    return history === null ? [] : (await this.fileHunks.openInEditor(history)).hunks.map(({ hunk }) => hunk);
  }

  reviewHunkInEditor(
    turnUids: readonly string[],
    path: string,
    hunkId: string,
    action: 'keep' | 'revert',
  ): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const history = await this.historyOf(turnUids, path);
      return this.single.review(history, path, hunkId, action, (found) => this.fileHunks.openInEditor(found));
    });
  }

  /** Reverts the changes of this turn and all later ones, the last change first. */
  revertFrom(turnUid: string): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const histories = historiesOf(await this.notReverted(turnUid));
      const turn = await this.deps.store.getTurn(turnUid);
      return turn === null ? allDone : this.revertAll(turn.sessionId, turnUid, histories, false);
    });
  }

  /** Undoes the newest revert of each of these files of a turn. `paths` null: of every file. Later changes in the same
   *  lines are not overwritten. */
  undoReverts(turnUid: string, paths: readonly string[] | null): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const turn = await this.deps.store.getTurn(turnUid);
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
    return (await this.deps.store.fileChangesFrom(turnUid)).filter(({ reviewed }) => reviewed?.kind !== 'reverted');
  }

  private async historyOf(turnUids: readonly string[], path: string): Promise<FileHistory | null> {
    return historiesOf(await this.deps.store.fileChangesOf(turnUids)).find((history) => history.path === path) ?? null;
  }

  private describe(
    histories: readonly FileHistory[],
    reverts: readonly RevertedFile[] = [],
  ): Promise<readonly ChangedFile[]> {
    return Promise.all(
      histories.map(async (history) => {
        const present = await this.presentBytes(history.path);
        const revert = newestOfEach(reverts).find(({ path }) => path === history.path);
        const file = await this.review.describe(history, present, revert?.change.changedAt);
        const { turnUid, sessionId } = firstOf(history);
        const isPartly = file.state === 'open' && (await this.kept.of(turnUid, sessionId, history.path)).size > 0;
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
    for (const history of inOrderOfPlaces(histories)) {
      const outcome = await this.reverting.revert(revert, history, overwrite);
      outcomes.push(this.outcomeAt(history.path, outcome));
      if (outcome === 'done') reverted.push(history);
    }
    await this.mark(reverted, 'reverted', revert.at);
    return outcomeOf(outcomes, this.deps.texts);
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
      const reverted = (await this.deps.store.fileChangesFrom(turnUid)).filter(
        (other) => other.path === path && other.reviewed?.kind === 'reverted' && other.reviewed.at === change.changedAt,
      );
      if (reverted.length > 0)
        await this.deps.store.markReviewed(
          reverted.map(({ uid }) => uid),
          wasKept ? 'kept' : null,
          this.deps.clock.now(),
        );
      for (const turn of [{ sessionId, turnUid }, ...reverted]) turns.set(turn.turnUid, turn);
    }
    for (const turn of turns.values()) await this.emitChanges(turn);
    return outcomeOf(outcomes, this.deps.texts);
  }

  private outcomeAt(path: string, outcome: FileOutcome['outcome']): FileOutcome {
    return { path, shown: this.deps.shown(path), outcome };
  }

  private async mark(
    histories: readonly FileHistory[],
    kind: 'reverted' | 'kept',
    at = this.deps.clock.now(),
  ): Promise<void> {
    const changes = histories.flatMap((history) => history.changes);
    if (changes.length > 0)
      await this.deps.store.markReviewed(
        changes.map(({ uid }) => uid),
        kind,
        at,
      );
    const turns = new Map(changes.map((change) => [change.turnUid, change]));
    for (const change of turns.values()) await this.emitChanges(change);
  }

  /** Runs reviews one after the other: the second must see the result of the first. */
  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }
}

/** A file can only come back when nothing that was made since is in its place: `a` after `a/b`, and `a/b` after `a`. */
function inOrderOfPlaces(histories: readonly FileHistory[]): readonly FileHistory[] {
  const paths = new Set(histories.map(({ path }) => path));
  const parents = new Set(histories.flatMap(({ path }) => foldersAbove(path).filter((folder) => paths.has(folder))));
  const waits = (history: FileHistory): boolean =>
    beforeAll(history) !== null &&
    (parents.has(history.path) || foldersAbove(history.path).some((folder) => parents.has(folder)));
  return histories.toSorted((one, other) => Number(waits(one)) - Number(waits(other)));
}

function foldersAbove(path: string): readonly string[] {
  return [...path.matchAll(/[\\/]/g)].map(({ index }) => path.slice(0, index));
}

function reviewed(history: FileHistory): ReviewedFile {
  return { path: history.path, firstTurn: beforeAll(history) === null ? null : firstOf(history).turnUid };
}
