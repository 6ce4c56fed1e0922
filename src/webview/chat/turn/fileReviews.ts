import { signal, type ReadonlySignal } from '@preact/signals';
import type { FileHunk, ReviewOutcome } from '../../../transcript/changedFile';
import { refusalOf } from '../connection/chatHost';
import type { Chat } from '../state/chat';

export type ReviewAction = 'keep' | 'revert';

/** Notice about a turn's files after a review action. */
interface ReviewNotice {
  readonly sentence: string;
  /** Files the user has changed since; confirming reverts them anyway. */
  readonly conflicts: readonly string[];
}

/** The changes within one file. `sentence`: the reason why they cannot be shown. */
type HunkList =
  | { readonly kind: 'loading' }
  | { readonly kind: 'there'; readonly hunks: readonly FileHunk[] }
  | { readonly kind: 'refused'; readonly sentence: string };

const hunkKey = (turnUid: string, path: string): string => `${turnUid} ${path}`;

/** Keeps and reverts changes that turns made in files. The host's `changedFiles` reports the results; this class
 *  holds only pending actions and failures. */
export class FileReviews {
  private readonly noticesByTurn = signal<ReadonlyMap<string, ReviewNotice>>(new Map());
  /** Notices by turn. */
  readonly notices: ReadonlySignal<ReadonlyMap<string, ReviewNotice>> = this.noticesByTurn;
  private readonly lists = signal<ReadonlyMap<string, HunkList>>(new Map());
  private readonly inFlight = signal<ReadonlySet<string>>(new Set());
  /** Turns with a pending action. */
  readonly busy: ReadonlySignal<ReadonlySet<string>> = this.inFlight;

  constructor(private readonly chat: Chat) {}

  hunks(turnUid: string, path: string): HunkList | undefined {
    return this.lists.value.get(hunkKey(turnUid, path));
  }

  /** `paths` null: every file of the turn. Changes the user made since stay, unless `overwrite`. */
  async review(
    turnUid: string,
    paths: readonly string[] | null,
    action: ReviewAction,
    overwrite = false,
  ): Promise<void> {
    await this.act(turnUid, () => this.chat.host.request('reviewFiles', { turnUid, paths, action, overwrite }));
  }

  async reviewHunk(turnUid: string, path: string, hunk: string, action: ReviewAction): Promise<void> {
    await this.act(turnUid, () => this.chat.host.request('reviewHunk', { turnUid, path, hunk, action }));
  }

  /** `paths` null: every file of the turn that was reverted. */
  async undoRevert(turnUid: string, paths: readonly string[] | null): Promise<void> {
    await this.act(turnUid, () => this.chat.host.request('undoRevert', { turnUid, paths }));
  }

  /** Reads the changes within a file, again on every call. */
  async readHunks(turnUid: string, path: string): Promise<void> {
    const key = hunkKey(turnUid, path);
    if (!this.lists.peek().has(key)) this.list(key, { kind: 'loading' });
    let hunks: readonly FileHunk[] = [];
    const refusal = await refusalOf(
      async () => void (hunks = await this.chat.host.request('fileHunks', { turnUid, path })),
    );
    this.list(key, refusal === null ? { kind: 'there', hunks } : { kind: 'refused', sentence: refusal });
  }

  dismiss(turnUid: string): void {
    const notices = new Map(this.noticesByTurn.peek());
    if (notices.delete(turnUid)) this.noticesByTurn.value = notices;
  }

  private async act(turnUid: string, ask: () => Promise<ReviewOutcome>): Promise<void> {
    if (this.inFlight.peek().has(turnUid)) return;
    this.dismiss(turnUid);
    this.inFlight.value = new Set([...this.inFlight.peek(), turnUid]);
    let outcome: ReviewOutcome = { sentence: null, conflicts: [] };
    const refusal = await refusalOf(async () => void (outcome = await ask()));
    this.inFlight.value = new Set([...this.inFlight.peek()].filter((uid) => uid !== turnUid));
    const sentence = refusal ?? outcome.sentence;
    if (sentence !== null)
      this.noticesByTurn.value = new Map(this.noticesByTurn.peek()).set(turnUid, {
        sentence,
        conflicts: outcome.conflicts,
      });
    const opened = [...this.lists.peek().keys()].filter((key) => key.startsWith(`${turnUid} `));
    await Promise.all(opened.map((key) => this.readHunks(turnUid, key.slice(turnUid.length + 1))));
  }

  private list(key: string, list: HunkList): void {
    this.lists.value = new Map(this.lists.peek()).set(key, list);
  }
}
