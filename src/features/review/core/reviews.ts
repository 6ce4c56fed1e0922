import type { ContentHash, FileChange } from '../../../store/fileChanges';
import { encodeText } from '../../../tools/files/textFormat';
import { hashOf, keptContents } from '../../../tools/files/changes/contentHash';
import { identified, type PlacedHunk } from './hunks';
import { linesOf } from './lineMerge';
import type { PresentFile, PresentFiles } from './presentFiles';
import { isRevert } from './revertRecords';
import { type LeftToReview, reviewOf, type ReviewStep, type Side, withKept } from './reviewFold';
import type { ReviewServices } from './reviewServices';
import { textOf } from './undoing';

/** What is left to review in one file. */
export interface Review extends LeftToReview {
  readonly present: PresentFile;
  /** Empty where the changes are not ones of lines. */
  readonly placed: readonly PlacedHunk[];
  /** What agents, reverts and the user's decisions did to the file, the oldest first. */
  readonly rows: readonly FileChange[];
}

/** How long a change is offered for review, in seconds. After that it counts as accepted. */
export const reviewedWithin = 30 * 24 * 60 * 60;
const mostRemembered = 200;
const keptPrefix = 'kept/';

/** What is left to review in files, over all turns and sessions. Nothing of it is stored but what the user keeps: a
 *  keep is itself recorded as a change of files, from the text accepted before to the one accepted now.
 *  Such rows belong to no turn: `turnUid` is "kept/<session>". One of them says what the file was at that moment: there
 *  `before` and `after` are the same. */
export class Reviews {
  private readonly known = new Map<string, { readonly key: string; readonly left: LeftToReview }>();
  /** Of the file that was read last: while the user types, only its content changes. */
  private last: { readonly key: string; readonly review: (present: Side) => LeftToReview } | null = null;

  constructor(
    private readonly services: ReviewServices,
    private readonly files: PresentFiles,
  ) {}

  /** Rejects where the file cannot be read. */
  async of(path: string): Promise<Review> {
    return this.read(await this.files.read(path), await this.rowsOf([path]));
  }

  /** In the order of these paths. A file that cannot be read (a folder took its name) counts as missing: this is for
   *  display only. */
  async ofAll(paths: readonly string[]): Promise<readonly Review[]> {
    const all = await this.rowsOf(paths);
    const byPath = new Map<string, FileChange[]>(paths.map((path) => [path, []]));
    for (const change of all) byPath.get(change.path)?.push(change);
    return Promise.all(
      paths.map(async (path) => {
        const present = await this.files.read(path).catch(() => ({ path, bytes: null, text: null }));
        return this.read(present, byPath.get(path) ?? []);
      }),
    );
  }

  /** Records that these changes are accepted, all in one. Rejects with `StoreError` when that could not be stored. */
  async keep(kept: readonly { readonly review: Review; readonly hunks: readonly PlacedHunk[] }[]): Promise<void> {
    const changes: FileChange[] = [];
    const contents: (Uint8Array | null)[] = [];
    for (const { review, hunks } of kept) {
      const { accepted, present, rows, placed } = review;
      const isAll = hunks.length === placed.length;
      const turns = new Set(hunks.flatMap(({ left }) => left.turns));
      const newest = rows.findLast(({ turnUid }) => (isAll ? isOfTurn(turnUid) : turns.has(turnUid)));
      if (newest === undefined) continue;
      const lines = withKept(
        accepted.lines ?? [],
        hunks.map(({ left }) => left),
      );
      const before = accepted.hash === undefined ? bytesOf(present, accepted.lines ?? []) : null;
      const after = isAll ? present.bytes : bytesOf(present, lines);
      const now = hashOf(present.bytes);
      changes.push(this.row(newest, now, now));
      changes.push(this.row(newest, accepted.hash === undefined ? hashOf(before) : accepted.hash, hashOf(after)));
      contents.push(present.bytes, before, after);
    }
    if (changes.length > 0) await this.services.store.recordFileChanges(changes, keptContents(contents));
  }

  /** Records what the file is now: a change of it was brought back. `of`: the record of its revert. */
  async seen(of: FileChange): Promise<void> {
    const { bytes } = await this.files.read(of.path);
    await this.services.store.recordFileChanges([this.row(of, hashOf(bytes), hashOf(bytes))], keptContents([bytes]));
  }

  private row({ sessionId, turnUid, path }: FileChange, before: ContentHash, after: ContentHash): FileChange {
    return {
      uid: this.services.ids.uid(),
      sessionId,
      turnUid: `${keptPrefix}${sessionId}`,
      callId: turnUid,
      path,
      before,
      after,
      changedAt: this.services.clock.now(),
      reviewed: null,
    };
  }

  private async rowsOf(paths: readonly string[]): Promise<readonly FileChange[]> {
    return paths.length === 0
      ? []
      : this.services.store.fileChangesAt(paths, this.services.clock.now() - reviewedWithin);
  }

  private async read(present: PresentFile, rows: readonly FileChange[]): Promise<Review> {
    const { path } = present;
    const now: Side = {
      hash: hashOf(present.bytes),
      lines: present.text === null ? (present.bytes === null ? [] : null) : linesOf(present.text.text),
    };
    const rowsKey = JSON.stringify([path, rows.map(({ uid, after, reviewed }) => [uid, after, reviewed?.kind])]);
    const key = `${now.hash} ${rowsKey}`;
    const known = this.known.get(path);
    let left = known?.key === key ? known.left : null;
    if (left === null) {
      const isLast = this.last?.key === rowsKey;
      const last = isLast && this.last ? this.last : { key: rowsKey, review: reviewOf(await this.steps(path, rows)) };
      this.last = last;
      left = last.review(now);
    }
    this.known.delete(path);
    this.known.set(path, { key, left });
    for (const oldest of [...this.known.keys()].slice(0, Math.max(0, this.known.size - mostRemembered)))
      this.known.delete(oldest);
    return { ...left, present, rows, placed: identified(left.accepted.lines ?? [], left.hunks) };
  }

  private async steps(path: string, rows: readonly FileChange[]): Promise<readonly ReviewStep[]> {
    const sides = new Map<ContentHash, Side>([[null, { hash: null, lines: [] }]]);
    const sideOf = async (hash: ContentHash): Promise<Side> => {
      const bytes = hash === null || sides.has(hash) ? null : await this.services.store.fileContent(hash);
      const text = bytes === null ? null : textOf(path, bytes);
      const side = sides.get(hash) ?? { hash, lines: text === null ? null : linesOf(text.text) };
      sides.set(hash, side);
      return side;
    };
    const steps: ReviewStep[] = [];
    for (const row of rows) {
      const before = await sideOf(row.before);
      const after = row.after === undefined ? undefined : await sideOf(row.after);
      if (row.turnUid.startsWith(keptPrefix) && row.before === row.after) steps.push({ kind: 'seen', before });
      else if (isOfTurn(row.turnUid))
        steps.push({ kind: 'agent', turn: row.turnUid, before, after, isKept: row.reviewed?.kind === 'kept' });
      else if (isRevert(row)) {
        // One that was undone only says what the file was then.
        const isUndone = row.reviewed?.kind === 'reverted';
        steps.push(isUndone ? { kind: 'seen', before } : { kind: 'revert', before, after: after ?? before });
      } else steps.push({ kind: 'keep', before, after: after ?? before });
    }
    return steps;
  }
}

/** Lines in the format of the file; as UTF-8 where it is no text now. */
export function bytesOf({ path, text }: PresentFile, lines: readonly string[]): Uint8Array {
  return text === null ? Buffer.from(lines.join('')) : encodeText(path, lines.join(''), text);
}

/** True for a change that a turn made, as opposed to a revert and a keep. */
function isOfTurn(turnUid: string): boolean {
  return !turnUid.startsWith(keptPrefix) && !isRevert({ turnUid });
}
