import { groupedBy } from '../../../base/groupedBy';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';
import type { Turn } from '../../../transcript/turn';
import type {
  MissingPart,
  StorageFinding,
  UnreadMessage,
  Verification,
  VerifiedTurn,
} from '../../../transcript/verification';
import type { DeliveryEntry } from '../../../transcript/deliveryEntry';
import { findingSentence, type Finding } from '../../../transcript/rules/finding';
import { compareMessage, deliveredCharacters, needsEarlier, type MessageComparison } from './compareDelivery';

/** Rows per read, so that other store work can run in between. */
const pageRows = 200;

export interface VerificationOptions {
  readonly sessions: Pick<SessionStore, 'readTranscript' | 'getMessage' | 'revisionsOf' | 'getTurn' | 'checkSession'>;
  /** Checks the whole file, or returns a sentence that says why the check is not done now. */
  readonly checkFile: () => Promise<{ readonly found: readonly Finding[] } | { readonly unchecked: string }>;
  /** Returns the error as a sentence. */
  readonly describe: (error: unknown) => string;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onProgress: (
    progress: { readonly step: 'rows'; readonly done: number; readonly total: number } | { readonly step: 'file' },
  ) => void;
}

interface TurnCounts {
  readonly messageUid: string | null;
  readonly at: number | null;
  isShown: boolean;
  readonly reported: string[];
  shown: number;
  onDisk: number;
  stored: number;
  readonly missing: MissingPart[];
  readonly unread: UnreadMessage[];
}

/** Result of a read: the value, or a sentence that says why it could not be read. */
type Read<T> = { readonly value: T } | { readonly unread: string };

/** Reads a session from disk row by row, including hidden rows and earlier versions, and compares it with the
 *  delivery reports of the views. Null when it was stopped. Unreadable rows are reported separately from missing
 *  ones, and are not a failure. */
export async function verifySession(
  sessionId: string,
  entries: readonly DeliveryEntry[],
  options: VerificationOptions,
): Promise<Verification | null> {
  const reading = new Reading(entries, options);
  if (!(await reading.read(sessionId))) return null;
  const [turns, findings] = [await reading.turns(), await reading.findings(sessionId)];
  options.onProgress({ step: 'file' });
  const file = await options.checkFile().catch((error: unknown) => ({ unchecked: options.describe(error) }));
  if (options.signal.aborted) return null;
  return {
    sessionId,
    at: options.now(),
    turns,
    turnCount: turns.filter(({ number }) => number !== null).length,
    rows: reading.rows,
    shown: turns.reduce((sum, { shown }) => sum + shown, 0),
    onDisk: turns.reduce((sum, { onDisk }) => sum + onDisk, 0),
    findings: storageFindings(findings, 'found' in file ? file.found : []),
    unread: reading.unread,
    fileUnchecked: 'unchecked' in file ? file.unchecked : null,
    note: null,
  };
}

class Reading {
  /** Uids of the rows that were read. */
  private readonly stored = new Set<string>();
  private readonly turnCounts = new Map<string, TurnCounts>();
  private readonly reportEntries: ReadonlyMap<string, readonly DeliveryEntry[]>;
  private readonly compared = new Set<string>();
  private readonly reasons = new Set<string>();

  constructor(
    entries: readonly DeliveryEntry[],
    private readonly options: VerificationOptions,
  ) {
    this.reportEntries = groupedBy(entries, ({ messageUid }) => messageUid);
  }

  get rows(): number {
    return this.stored.size;
  }

  /** Reasons why some rows could not be read. */
  get unread(): readonly string[] {
    return [...this.reasons];
  }

  /** False when it was stopped. */
  async read(sessionId: string): Promise<boolean> {
    const { sessions, signal, onProgress } = this.options;
    let total = 0;
    for (let after = Number.MIN_SAFE_INTEGER, isLast = false; !isLast;) {
      if (signal.aborted) return false;
      const query = { sessionId, limit: pageRows, after, includeHidden: true, isCounted: total === 0 };
      const read = await this.attempt(sessions.readTranscript(query));
      const page = 'unread' in read ? null : read.value;
      const last = page?.messages.at(-1);
      if (page === null || last === undefined) break;
      total = Math.max(total, page.total);
      for (const message of page.messages) await this.row(message, page.turns);
      onProgress({ step: 'rows', done: this.rows, total: Math.max(total, this.rows) });
      after = last.position;
      isLast = page.messages.length < pageRows;
    }
    await this.rowsElsewhere();
    return !signal.aborted;
  }

  /** In transcript order. Turns without any remaining row come last. */
  async turns(): Promise<readonly VerifiedTurn[]> {
    const turns: VerifiedTurn[] = [];
    let number = 0;
    for (const [turnUid, { isShown, at, ...counts }] of this.turnCounts) {
      const known = at ?? (await this.startOf(turnUid));
      turns.push({ turnUid, ...counts, at: known, number: isShown ? ++number : null, verdict: verdictOf(counts) });
    }
    return turns;
  }

  /** Reads only the time: a turn without one is still compared. */
  private async startOf(turnUid: string): Promise<number | null> {
    const read = await this.attempt(this.options.sessions.getTurn(turnUid));
    return 'unread' in read ? null : (read.value?.startedAt ?? null);
  }

  async findings(sessionId: string): Promise<readonly Finding[]> {
    const read = await this.attempt(this.options.sessions.checkSession(sessionId));
    return 'unread' in read ? [] : read.value;
  }

  private async row(message: Message, turns: readonly Turn[]): Promise<void> {
    this.stored.add(message.uid);
    if (message.turnUid !== null) {
      const turn = turns.find(({ uid }) => uid === message.turnUid);
      const counts = this.countsOf(message.turnUid, message.uid, turn?.startedAt ?? message.createdAt);
      counts.isShown ||= message.visibility.kind === 'shown';
      counts.stored += deliveredCharacters(message);
    }
    await this.compare(message.uid, { value: message });
  }

  /** Compares reported messages that the pages did not hold: in another segment, or not stored at all. */
  private async rowsElsewhere(): Promise<void> {
    for (const uid of this.reportEntries.keys())
      if (!this.compared.has(uid)) await this.compare(uid, await this.attempt(this.options.sessions.getMessage(uid)));
  }

  private async compare(uid: string, read: Read<Message | null>): Promise<void> {
    const entries = this.reportEntries.get(uid);
    if (entries === undefined || this.compared.has(uid)) return;
    this.compared.add(uid);
    const message = 'unread' in read ? null : read.value;
    const parts = message?.parts ?? null;
    const revisions: Read<readonly { readonly parts: readonly Part[] }[]> = needsEarlier(entries, parts)
      ? await this.attempt(this.options.sessions.revisionsOf(uid))
      : { value: [] };
    const earlier = 'unread' in revisions ? [] : revisions.value.map(({ parts: written }) => written);
    const reason = 'unread' in read ? read.unread : 'unread' in revisions ? revisions.unread : null;
    const turnUid = message?.turnUid ?? entries[0]?.turnUid ?? uid;
    add(this.countsOf(turnUid, message?.uid ?? null, null), uid, compareMessage(entries, parts, earlier), reason);
  }

  private async attempt<T>(reading: Promise<T>): Promise<Read<T>> {
    try {
      return { value: await reading };
    } catch (error) {
      const unread = this.options.describe(error);
      this.reasons.add(unread);
      return { unread };
    }
  }

  private countsOf(turnUid: string, messageUid: string | null, at: number | null): TurnCounts {
    const known = this.turnCounts.get(turnUid);
    if (known !== undefined) return known;
    const counts: TurnCounts = {
      messageUid,
      at,
      isShown: false,
      reported: [],
      shown: 0,
      onDisk: 0,
      stored: 0,
      missing: [],
      unread: [],
    };
    this.turnCounts.set(turnUid, counts);
    return counts;
  }
}

/** `reason`: why the read may have returned less of the message than is stored. Null when all was read. */
function add(
  counts: TurnCounts,
  messageUid: string,
  { shown, onDisk, missing }: MessageComparison,
  reason: string | null,
): void {
  counts.reported.push(messageUid);
  counts.shown += shown;
  counts.onDisk += onDisk;
  if (reason === null) counts.missing.push(...missing);
  else if (missing.length > 0) counts.unread.push({ messageUid, shown: shown - onDisk, sentence: reason });
}

function verdictOf({
  reported,
  stored,
  onDisk,
  missing,
  unread,
}: Pick<TurnCounts, 'reported' | 'stored' | 'onDisk' | 'missing' | 'unread'>): VerifiedTurn['verdict'] {
  if (missing.length > 0) return 'missing';
  if (unread.length > 0) return 'unread';
  if (reported.length === 0 && stored > 0) return 'unreported';
  return stored > onDisk ? 'more' : 'same';
}

/** Findings of the session and of the file, each place once. */
function storageFindings(ofSession: readonly Finding[], ofFile: readonly Finding[]): readonly StorageFinding[] {
  const known = new Set(ofSession.map(({ id, row }) => `${id} ${row}`));
  const others = ofFile.filter(({ id, row }) => row === null || !known.has(`${id} ${row}`));
  const inThisSession = { sessionId: null, row: null };
  return [
    ...ofSession.map((one) => ({ sentence: findingSentence({ ...one, ...inThisSession }), messageUid: one.row })),
    ...others.map((one) => ({ sentence: findingSentence(one), messageUid: null })),
  ];
}
