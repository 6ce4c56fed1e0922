import type { ChangedFile } from '../../../transcript/changedFile';
import { hashOf } from '../../../tools/files/changes/contentHash';
import { afterAll, beforeAll, type FileHistory, kindOf, turnsOf } from './fileHistory';
import { countLines } from './hunks';
import { lineChanges, linesOf } from './lineMerge';
import type { LeftToReview } from './reviewFold';
import type { ReviewServices } from './reviewServices';
import { textOf, undo, type ReadContent } from './undoing';

type Counts = Pick<ChangedFile, 'added' | 'removed'>;

const mostRemembered = 1000;

const unknown: Counts = { added: null, removed: null };

/** Describes a file that a turn changed. */
export class FileReview {
  /** Line counts by the hashes at the start and end of a range: neither content ever changes. */
  private readonly counted = new Map<string, Counts>();

  private readonly read: ReadContent = (hash) => this.services.store.fileContent(hash);

  constructor(private readonly services: ReviewServices) {}

  /** `left`: what is left to review in the file. */
  async describe(
    history: FileHistory,
    present: Uint8Array | null,
    left: Pick<LeftToReview, 'turns' | 'kept'>,
  ): Promise<ChangedFile> {
    const { path } = history;
    const counts = await this.counts(history);
    const state = await this.stateOf(history, present, left);
    return { path, shown: this.services.shown(path), kind: kindOf(history), ...counts, state };
  }

  private async stateOf(
    history: FileHistory,
    present: Uint8Array | null,
    { turns, kept }: Pick<LeftToReview, 'turns' | 'kept'>,
  ): Promise<ChangedFile['state']> {
    const own = turnsOf(history);
    const isReverted = history.changes.every(({ reviewed }) => reviewed?.kind === 'reverted');
    const state = await this.contentState(history, present, isReverted);
    if (!own.some(({ turnUid }) => turns.has(turnUid))) return state === 'reverted' ? 'reverted' : 'kept';
    if (state === 'reverted') return 'changedSince';
    return state === 'open' && own.some(({ turnUid }) => kept.has(turnUid)) ? 'partly' : state;
  }

  private async contentState(
    history: FileHistory,
    present: Uint8Array | null,
    isMarkedReverted: boolean,
  ): Promise<ChangedFile['state']> {
    const held = hashOf(present);
    // If the user undid a revert in the editor, the change is open again.
    if (held === afterAll(history)) return 'open';
    if (held === beforeAll(history) || isMarkedReverted) return 'reverted';
    const undone = await undo(history, present, this.read);
    if (undone.kind !== 'undone') return 'changedSince';
    if (hashOf(undone.bytes) === held) return 'reverted';
    return undone.already > 0 && undone.others === 0 ? 'partly' : 'changedSince';
  }

  /** Sums over the turn's own ranges only. Changes by others in between do not count. */
  private async counts(history: FileHistory): Promise<Counts> {
    let [added, removed] = [0, 0];
    for (const { before, after } of history.ranges) {
      const counts = after === undefined ? unknown : await this.countsOf(history.path, before, after);
      if (counts.added === null || counts.removed === null) return unknown;
      added += counts.added;
      removed += counts.removed;
    }
    return { added, removed };
  }

  private async countsOf(path: string, before: string | null, after: string | null): Promise<Counts> {
    const key = `${before} ${after}`;
    const known = this.counted.get(key);
    if (known !== undefined) return known;
    const [from, to] = [await this.lines(path, before), await this.lines(path, after)];
    const counts = from === null || to === null ? unknown : countLines(lineChanges(from, to));
    if (this.counted.size >= mostRemembered) this.counted.clear();
    this.counted.set(key, counts);
    return counts;
  }

  /** Null when the content is not text or not stored. */
  private async lines(path: string, hash: string | null): Promise<readonly string[] | null> {
    if (hash === null) return [];
    const bytes = await this.read(hash);
    const text = bytes === null ? null : textOf(path, bytes);
    return text === null ? null : linesOf(text.text);
  }
}
