import type { ChangedFile } from '../../../transcript/changedFile';
import { hashOf } from './contentHash';
import { afterAll, beforeAll, type FileHistory, kindOf } from './fileHistory';
import { countLines } from './hunks';
import { lineChanges, linesOf } from './lineMerge';
import { textOf, undo, type ReadContent } from './undoing';

type Counts = Pick<ChangedFile, 'added' | 'removed'>;

const mostRemembered = 1000;

const unknown: Counts = { added: null, removed: null };

/** Describes a file that a turn changed. */
export class FileReview {
  /** Line counts by the hashes at the start and end of a range: neither content ever changes. */
  private readonly counted = new Map<string, Counts>();

  constructor(
    private readonly read: ReadContent,
    private readonly shown: (path: string) => string,
  ) {}

  /** `revertedAt`: when the newest revert of the file that was not undone began. */
  async describe(
    history: FileHistory,
    present: Uint8Array | null,
    revertedAt: number | undefined,
  ): Promise<ChangedFile> {
    const { path } = history;
    return {
      path,
      shown: this.shown(path),
      kind: kindOf(history),
      ...(await this.counts(history)),
      state: await this.stateOf(history, present, revertedAt),
    };
  }

  private async stateOf(
    history: FileHistory,
    present: Uint8Array | null,
    revertedAt: number | undefined,
  ): Promise<ChangedFile['state']> {
    const reviewed = new Set(history.changes.map((change) => change.reviewed?.kind ?? null));
    if (reviewed.size === 1 && reviewed.has('kept')) {
      // A revert that ended with its process wrote the file and did not mark its changes.
      const isNewer =
        revertedAt !== undefined && history.changes.every((change) => (change.reviewed?.at ?? 0) < revertedAt);
      return isNewer && (await this.contentState(history, present, false)) === 'reverted' ? 'reverted' : 'kept';
    }
    return this.contentState(history, present, reviewed.size === 1 && reviewed.has('reverted'));
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
