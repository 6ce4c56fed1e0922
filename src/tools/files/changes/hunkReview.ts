import type { FileChange } from '../../../store/fileChanges';
import type { ReviewOutcome } from '../../../transcript/changedFile';
import { type FileHistory, firstOf, historiesOf, turnsOf } from './fileHistory';
import type { FileHunks, OpenedHunks } from './fileHunks';
import type { PlacedHunk } from './hunks';
import type { KeptHunks } from './keptHunks';
import type { RevertRecords } from './revertRecords';
import type { Reverting } from './reverting';
import { allDone, conflictOf, outcomeOf, type ReviewTexts } from './reviewTexts';

type Turn = Pick<FileChange, 'sessionId' | 'turnUid'>;

interface HunkReviewDeps {
  readonly hunks: FileHunks;
  readonly kept: KeptHunks;
  readonly records: RevertRecords;
  readonly reverting: Reverting;
  readonly shown: (path: string) => string;
  readonly texts: ReviewTexts;
  /** Marks files as kept and emits their turns. */
  readonly mark: (histories: readonly FileHistory[], kind: 'kept') => Promise<void>;
  readonly emitChanges: (turn: Turn) => Promise<void>;
  readonly revertFile: (history: FileHistory) => Promise<ReviewOutcome>;
}

/** Keeps and reverts single changes of a file. */
export class HunkReview {
  constructor(private readonly deps: HunkReviewDeps) {}

  /** `history` null, or no change with this id: it no longer exists. */
  async review(
    history: FileHistory | null,
    path: string,
    hunkId: string,
    action: 'keep' | 'revert',
    open: (history: FileHistory) => Promise<OpenedHunks>,
  ): Promise<ReviewOutcome> {
    const opened = history === null ? null : await open(history);
    const found = opened?.hunks.find(({ hunk }) => hunk.id === hunkId);
    if (history === null || opened === null || found === undefined)
      return { sentence: this.deps.texts.gone(this.deps.shown(path)), conflicts: [] };
    return action === 'keep' ? this.keepHunk(history, opened, found) : this.revertHunk(history, opened, found);
  }

  private async keepHunk(history: FileHistory, { hunks }: OpenedHunks, { hunk }: PlacedHunk): Promise<ReviewOutcome> {
    const turns = turnsOf(history);
    for (const { turnUid, sessionId } of turns) await this.deps.kept.keep(turnUid, sessionId, history.path, hunk.id);
    if (areKept(hunks, hunk.id)) await this.deps.mark([history], 'kept');
    else for (const turn of turns) await this.keepIfDone(turn, history);
    return allDone;
  }

  /** Marks the changes of one turn as kept when each of them is; else emits its files. */
  private async keepIfDone(
    turn: { readonly turnUid: string; readonly sessionId: string },
    { path, changes }: FileHistory,
  ): Promise<void> {
    const [own] = historiesOf(changes.filter(({ turnUid }) => turnUid === turn.turnUid));
    if (own !== undefined && own.path === path && areKept((await this.deps.hunks.open(own)).hunks))
      await this.deps.mark([own], 'kept');
    else await this.deps.emitChanges(turn);
  }

  private async revertHunk(history: FileHistory, opened: OpenedHunks, placed: PlacedHunk): Promise<ReviewOutcome> {
    const { present, hunks, areWhole } = opened;
    const { sessionId, turnUid } = firstOf(history);
    if (hunks.length === 1 && areWhole) return this.deps.revertFile(history);
    if (present === null) return conflictOf(history.path, this.deps.shown(history.path), this.deps.texts);
    const revert = this.deps.records.newRevert({ sessionId, turnUid });
    const text = this.deps.hunks.without(opened, placed);
    const outcome = await this.deps.reverting.writeText(revert, history, present, text);
    if (outcome !== 'done')
      return outcomeOf([{ path: history.path, shown: this.deps.shown(history.path), outcome }], this.deps.texts);
    for (const turn of turnsOf(history)) await this.deps.emitChanges(turn);
    return allDone;
  }
}

/** `also`: counts as kept. */
function areKept(hunks: readonly PlacedHunk[], also?: string): boolean {
  return hunks.length > 0 && hunks.every(({ hunk }) => hunk.id === also || hunk.state === 'kept');
}
