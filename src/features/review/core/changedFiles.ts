import { groupedBy } from '../../../base/groupedBy';
import { Emitter } from '../../../base/disposable';
import { t } from '../../../base/translate';
import type { FileChange } from '../../../store/fileChanges';
import { hashOf } from '../../../tools/files/changes/contentHash';
import type { ChangedFile, FileHunk, ReviewOutcome } from '../../../transcript/changedFile';
import { beforeAll, type FileHistory, firstOf, historiesOf } from './fileHistory';
import { FileReview } from './fileReview';
import type { PlacedHunk } from './hunks';
import { linesOf } from './lineMerge';
import { PresentFiles } from './presentFiles';
import { Reverting, allDone, outcomeOf, type FileOutcome } from './reverting';
import { isRevert, newestOfEach, type RevertedFile, revertedFile, RevertRecords } from './revertRecords';
import { bytesOf, type Review, reviewedWithin, Reviews } from './reviews';
import type { ReviewServices } from './reviewServices';

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
  private readonly review: FileReview;
  private readonly reviews: Reviews;
  private readonly records: RevertRecords;
  private readonly reverting: Reverting;
  private readonly changes = new Emitter<ChangedTurn>();
  private queue: Promise<unknown> = Promise.resolve();

  readonly onDidChange = this.changes.event;

  constructor(private readonly services: ReviewServices) {
    const files = new PresentFiles(services);
    this.review = new FileReview(services);
    this.reviews = new Reviews(services, files);
    this.records = new RevertRecords(services);
    this.reverting = new Reverting(services, files, this.records);
  }

  /** Changed files by turn. Turns without changes are left out. */
  async ofTurns(turnUids: readonly string[]): Promise<Readonly<Record<string, readonly ChangedFile[]>>> {
    const all = turnUids.length === 0 ? [] : await this.services.store.fileChangesOf(turnUids);
    const byTurn = groupedBy(all, ({ turnUid }) => turnUid);
    const sessions = new Set([...byTurn.values()].flat().map(({ sessionId }) => sessionId));
    const reverts = await this.records.of([...sessions]);
    const reviews = await this.reviewsOf([...byTurn.values()].flat());
    const described = await Promise.all(
      [...byTurn].map(async ([turnUid, changes]) => {
        const own = reverts.filter((file) => file.turnUid === turnUid);
        return [turnUid, await this.describe(historiesOf(changes), reviews, own)] as const;
      }),
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
    const changes = await this.notReverted(turnUid);
    return this.describe(historiesOf(changes), await this.reviewsOf(changes));
  }

  /** Files that these turns changed together, in the order in which they were first changed. */
  async across(turnUids: readonly string[]): Promise<readonly ReviewedFile[]> {
    return historiesOf(await this.services.store.fileChangesOf(turnUids)).map(reviewed);
  }

  /** Files that this turn and all later ones changed, shown or not, with those of sub-agents. */
  async acrossFrom(turnUid: string): Promise<readonly ReviewedFile[]> {
    return historiesOf(await this.services.store.fileChangesFrom(turnUid)).map(reviewed);
  }

  /** Content of a file before the turn; null when the file did not exist or the content is not stored. */
  async before(turnUid: string, path: string): Promise<Uint8Array | null> {
    const history = await this.historyOf([turnUid], path);
    const hash = history === null ? null : beforeAll(history);
    return hash === null ? null : this.services.store.fileContent(hash);
  }

  /** Changes of a turn in a file that are neither kept nor undone. `turnUid` null: those of all turns. */
  async hunks(turnUid: string | null, path: string): Promise<readonly FileHunk[]> {
    const [review] = await this.reviews.ofAll([path]);
    return hunksOf(review, turnUid).map(({ hunk }) => hunk);
  }

  /** The file as the user has accepted it: without the changes that are left to review. Null when there was no file,
   *  or its content is not stored. */
  async accepted(path: string): Promise<Uint8Array | null> {
    const [review] = await this.reviews.ofAll([path]);
    return review === undefined ? null : this.acceptedBytes(review);
  }

  /** Turns with changes that are left to review, of all sessions. `isHere`: others are not even read: a record may have
   *  come with a session that somebody else wrote. */
  async toReview(isHere: (path: string) => boolean): Promise<readonly string[]> {
    const all = await this.services.store.changedPaths(this.services.clock.now() - reviewedWithin);
    const paths = all.filter(isHere);
    const turns: string[] = [];
    // One after the other: there may be thousands.
    for (const path of paths) {
      const [review] = await this.reviews.ofAll([path]);
      if (review === undefined || review.turns.size === 0) continue;
      // What an agent replaced on another machine is not here: there is nothing to undo.
      const canUndo = review.accepted.hash === null || (await this.acceptedBytes(review)) !== null;
      if (canUndo) turns.push(...review.turns);
    }
    return [...new Set(turns)];
  }

  /** `paths` null: every file of the turn. */
  reviewFiles(
    turnUid: string,
    paths: readonly string[] | null,
    action: 'keep' | 'revert',
    overwrite: boolean,
  ): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const histories = historiesOf(await this.services.store.fileChangesOf([turnUid])).filter(
        ({ path }) => paths === null || paths.includes(path),
      );
      const [first] = histories;
      if (first === undefined) return allDone;
      if (action === 'revert') return this.revertAll(firstOf(first).sessionId, turnUid, histories, overwrite);
      const reviews: Review[] = [];
      for (const { path } of histories) reviews.push(await this.reviews.of(path));
      await this.keep(reviews.map((review) => ({ review, hunks: hunksOf(review, turnUid) })));
      return allDone;
    });
  }

  /** `turnUid` null: a change of any turn. */
  reviewHunk(turnUid: string | null, path: string, hunkId: string, action: 'keep' | 'revert'): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const review = await this.reviews.of(path);
      const found = hunksOf(review, turnUid).find(({ hunk }) => hunk.id === hunkId);
      if (found === undefined)
        return {
          sentence: t('This change to {file} no longer exists.', { file: this.services.shown(path) }),
          conflicts: [],
        };
      if (action === 'revert') return this.undoHunk(review, found);
      await this.keep([{ review, hunks: [found] }]);
      return allDone;
    });
  }

  /** Reverts the changes of this turn and all later ones, the last change first. */
  revertFrom(turnUid: string): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const histories = historiesOf(await this.notReverted(turnUid));
      const turn = await this.services.store.getTurn(turnUid);
      return turn === null ? allDone : this.revertAll(turn.sessionId, turnUid, histories, false);
    });
  }

  /** Undoes the newest revert of each of these files of a turn. `paths` null: of every file. Later changes in the same
   *  lines are not overwritten. */
  undoReverts(turnUid: string, paths: readonly string[] | null): Promise<ReviewOutcome> {
    return this.inOrder(async () => {
      const turn = await this.services.store.getTurn(turnUid);
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

  /** The newest revert of a file that can be undone. */
  async newestRevertOf(path: string): Promise<RevertedFile | null> {
    const [review] = await this.reviews.ofAll([path]);
    const row = review?.rows.findLast((change) => isRevert(change) && change.reviewed?.kind !== 'reverted');
    return row === undefined || row.before === hashOf(review?.present.bytes ?? null) ? null : revertedFile(row);
  }

  undoRevert(files: readonly RevertedFile[]): Promise<ReviewOutcome> {
    return this.inOrder(() => this.undoAll(files));
  }

  private async notReverted(turnUid: string): Promise<readonly FileChange[]> {
    return (await this.services.store.fileChangesFrom(turnUid)).filter(({ reviewed }) => reviewed?.kind !== 'reverted');
  }

  private async historyOf(turnUids: readonly string[], path: string): Promise<FileHistory | null> {
    return (
      historiesOf(await this.services.store.fileChangesOf(turnUids)).find((history) => history.path === path) ?? null
    );
  }

  private async reviewsOf(changes: readonly FileChange[]): Promise<ReadonlyMap<string, Review>> {
    const paths = [...new Set(changes.map(({ path }) => path))];
    const reviews = await this.reviews.ofAll(paths);
    return new Map(reviews.map((review) => [review.present.path, review]));
  }

  private describe(
    histories: readonly FileHistory[],
    reviews: ReadonlyMap<string, Review>,
    reverts: readonly RevertedFile[] = [],
  ): Promise<readonly ChangedFile[]> {
    const newest = newestOfEach(reverts);
    return Promise.all(
      histories.map(async (history) => {
        const review = reviews.get(history.path);
        const present = review?.present.bytes ?? null;
        const file = await this.review.describe(history, present, review ?? { turns: new Set(), kept: new Set() });
        const revert = newest.find(({ path }) => path === history.path);
        // A revert that was undone in the editor leaves nothing to undo.
        const canUndo = revert !== undefined && revert.change.before !== hashOf(present);
        return { ...file, ...(canUndo ? { canUndoRevert: true } : {}) };
      }),
    );
  }

  private async keep(kept: Parameters<Reviews['keep']>[0]): Promise<void> {
    await this.reviews.keep(kept);
    await this.emitTurnsOf(kept.map(({ review }) => review));
  }

  /** Puts the accepted lines back in the place of one change. The revert belongs to the newest turn that made it. */
  private async undoHunk(review: Review, { left }: PlacedHunk): Promise<ReviewOutcome> {
    const { present, accepted, rows, hunks } = review;
    const of = rows.findLast(({ turnUid }) => left.turns.includes(turnUid));
    if (of === undefined) throw new Error('a change without a turn');
    const lines = present.text === null ? [] : linesOf(present.text.text);
    const before = accepted.lines?.slice(left.at, left.at + left.removed) ?? [];
    const text = lines.toSpliced(left.now, left.added.length, ...before).join('');
    const bytes = hunks.length === 1 ? await this.acceptedBytes(review) : null;
    const isWhole = hunks.length === 1 && (bytes !== null || accepted.hash === null);
    if (!isWhole && present.text === null) return outcomeOf([this.outcomeAt(present.path, 'notKept')]);
    const outcome = await this.reverting.write(this.records.newRevert(of), of, present, isWhole ? { bytes } : { text });
    if (outcome !== 'done') return outcomeOf([this.outcomeAt(present.path, outcome)]);
    await this.emitTurnsOf([review]);
    return allDone;
  }

  private async acceptedBytes({ accepted, present }: Review): Promise<Uint8Array | null> {
    const stored = typeof accepted.hash === 'string' ? await this.services.store.fileContent(accepted.hash) : null;
    if (stored !== null || accepted.hash === null || accepted.lines === null) return stored;
    return bytesOf(present, accepted.lines);
  }

  /** Emits the files of all turns that changed these: what is left of a turn depends on the others. */
  private async emitTurnsOf(reviews: readonly Review[]): Promise<void> {
    const changed = new Map(
      reviews.flatMap(({ rows, turns }) =>
        rows.filter(({ turnUid }) => turns.has(turnUid)).map((change) => [change.turnUid, change] as const),
      ),
    );
    for (const change of changed.values()) await this.emitChanges(change);
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
    await this.markReverted(reverted, revert.at);
    return outcomeOf(outcomes);
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
    for (const { change } of undone) await this.reviews.seen(change);
    const turns = new Map<string, Pick<FileChange, 'sessionId' | 'turnUid'>>();
    for (const { sessionId, turnUid, path, change } of undone) {
      const reverted = (await this.services.store.fileChangesFrom(turnUid)).filter(
        (other) => other.path === path && other.reviewed?.kind === 'reverted' && other.reviewed.at === change.changedAt,
      );
      if (reverted.length > 0)
        await this.services.store.markReviewed(
          reverted.map(({ uid }) => uid),
          null,
          this.services.clock.now(),
        );
      for (const turn of [{ sessionId, turnUid }, ...reverted]) turns.set(turn.turnUid, turn);
    }
    for (const turn of turns.values()) await this.emitChanges(turn);
    return outcomeOf(outcomes);
  }

  private outcomeAt(path: string, outcome: FileOutcome['outcome']): FileOutcome {
    return { path, shown: this.services.shown(path), outcome };
  }

  private async markReverted(histories: readonly FileHistory[], at: number): Promise<void> {
    const changes = histories.flatMap((history) => history.changes);
    const uids = changes.map(({ uid }) => uid);
    if (uids.length > 0) await this.services.store.markReviewed(uids, 'reverted', at);
    for (const change of new Map(changes.map((each) => [each.turnUid, each])).values()) await this.emitChanges(change);
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

/** `turnUid` null: of all turns. */
function hunksOf(review: Review | undefined, turnUid: string | null): readonly PlacedHunk[] {
  return (review?.placed ?? []).filter(({ left }) => turnUid === null || left.turns.includes(turnUid));
}

function reviewed(history: FileHistory): ReviewedFile {
  return { path: history.path, firstTurn: beforeAll(history) === null ? null : firstOf(history).turnUid };
}
