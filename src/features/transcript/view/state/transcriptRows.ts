import type { StoredApproval, StoredTurn, TranscriptRows, TranscriptSegment } from '../../protocol/transcriptProtocol';
import { isContinuation } from '../../../../transcript/continuation';
import type { Message } from '../../../../transcript/message';
import type { Turn } from '../../../../transcript/turn';
import { t, shownList } from '../../../../webview/localization';
import { roleWord, stopReasonWord } from '../../../../webview/turnLabels';
import { tokensText } from './borderLabels';

export interface TranscriptRow {
  readonly message: Message;
  /** Position among all stored rows of the session, from 1. */
  readonly number: number;
  readonly state: string;
  readonly tokens: string;
  /** Remarks about the row beyond its content: why it is not part of the conversation, what a repair did to it. */
  readonly asides: readonly string[];
  /** True when the row is not part of the conversation. */
  readonly isHidden: boolean;
  /** True when the row was rewritten; its earlier content can be read. */
  readonly isRevised: boolean;
  readonly approvals: readonly StoredApproval[];
}

/** Entries of the list, in order: rows, and the borders between them. */
export type TranscriptEntry =
  | { readonly kind: 'row'; readonly key: string; readonly row: TranscriptRow }
  | {
      readonly kind: 'turn';
      readonly key: string;
      readonly stored: StoredTurn;
      readonly isHidden: boolean;
      readonly isContinued: boolean;
    }
  /** Beginning of a segment of the session; `before` is the segment it summarizes, `after` the one that summarizes
   *  it. */
  | {
      readonly kind: 'segment';
      readonly key: string;
      readonly segment: TranscriptSegment;
      readonly before: TranscriptSegment | null;
      readonly after: TranscriptSegment | null;
    };

/** Returns rows in stored order with the borders between them. `known`: the last rendered entries, which are reused
 *  if unchanged. Pure. */
export function transcriptEntries(
  rows: TranscriptRows,
  known: readonly TranscriptEntry[] = [],
): readonly TranscriptEntry[] {
  const before = new Map(known.map((entry) => [entry.key, entry]));
  const turns = new Map(rows.turns.map((stored) => [stored.turn.uid, stored]));
  const starts = new Map(rows.segments.map((segment, index) => [segment.sessionId, index]));
  const entries: TranscriptEntry[] = [];
  const begun = new Set<string>();
  let [segment, turn]: [string | null, string | null] = [null, null];
  for (const row of storedRows(rows, turns)) {
    const { sessionId, turnUid, visibility } = row.message;
    if (sessionId !== segment && rows.segments.length > 1)
      entries.push(...segmentEntry(rows.segments, starts.get(sessionId)));
    const stored = turnUid === null ? undefined : turns.get(turnUid);
    if (stored !== undefined && turnUid !== null && turnUid !== turn) {
      entries.push({
        kind: 'turn',
        key: `turn ${turnUid} ${row.message.uid}`,
        stored,
        isHidden: visibility.kind === 'hidden',
        isContinued: begun.has(turnUid),
      });
      begun.add(turnUid);
    }
    [segment, turn] = [sessionId, turnUid];
    entries.push({ kind: 'row', key: row.message.uid, row });
  }
  return entries.map((entry) => unchanged(before.get(entry.key), entry));
}

function segmentEntry(segments: readonly TranscriptSegment[], index: number | undefined): readonly TranscriptEntry[] {
  const segment = index === undefined ? undefined : segments[index];
  if (index === undefined || segment === undefined) return [];
  return [
    {
      kind: 'segment',
      key: `segment ${segment.sessionId}`,
      segment,
      before: segments[index - 1] ?? null,
      after: segments[index + 1] ?? null,
    },
  ];
}

function unchanged(before: TranscriptEntry | undefined, entry: TranscriptEntry): TranscriptEntry {
  if (before === undefined || before.kind !== entry.kind) return entry;
  if (before.kind === 'row' && entry.kind === 'row') {
    const { message, ...rest } = entry.row;
    const { message: known, ...restBefore } = before.row;
    return message === known && JSON.stringify(rest) === JSON.stringify(restBefore) ? before : entry;
  }
  return JSON.stringify(before) === JSON.stringify(entry) ? before : entry;
}

function storedRows(rows: TranscriptRows, turns: ReadonlyMap<string, StoredTurn>): readonly TranscriptRow[] {
  const endings = new Set(lastAnswers(rows.messages).values());
  const absorbers = new Map(rows.absorbers.map(({ uid, number }) => [uid, number]));
  const absorbed = new Map<string, number[]>();
  for (const { into, number } of rows.absorbed) absorbed.set(into, [...(absorbed.get(into) ?? []), number]);
  const revised = new Set(rows.revised);
  return rows.messages.map((message, index) => {
    const turn = message.turnUid === null ? null : (turns.get(message.turnUid)?.turn ?? null);
    return {
      message,
      number: rows.numbers[index] ?? 0,
      state: rowState(message, turn, endings.has(message.uid)),
      tokens: message.role === 'assistant' ? tokensText(message.usage) : '',
      asides: [asideText(message, absorbers), joinedText(absorbed.get(message.uid) ?? []), madeUpText(message)].filter(
        (text) => text !== null,
      ),
      isHidden: message.visibility.kind === 'hidden' || message.visibility.kind === 'closing',
      isRevised: revised.has(message.uid),
      approvals: rows.approvals.filter(({ messageUid }) => messageUid === message.uid),
    };
  });
}

/** Returns the last answer of each turn, by the turn's uid: it shows the stop reason. */
function lastAnswers(messages: readonly Message[]): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const { role, turnUid, uid, visibility } of messages) {
    if (role === 'assistant' && turnUid !== null && visibility.kind !== 'hidden') last.set(turnUid, uid);
  }
  return last;
}

/** Author of a row; the summary that begins a segment has none. */
export function authorWord({ role, visibility }: Message): string {
  return visibility.kind === 'handoff' ? t('Summary') : roleWord(role);
}

function rowState(message: Message, turn: Turn | null, endsTurn: boolean): string {
  if (message.role === 'tool') return message.parts[0].outcome === 'done' ? '' : message.parts[0].outcome;
  if (message.role === 'user') return '';
  if (endsTurn && turn?.state === 'settled') return stopReasonWord(turn);
  if (message.state === 'streaming') return t('streaming');
  return endsTurn && turn?.state === 'waiting' ? t('waiting for approval') : '';
}

function asideText(message: Message, absorbers: ReadonlyMap<string, number>): string | null {
  const { visibility } = message;
  if (visibility.kind === 'shown')
    return isContinuation(message)
      ? t('Sent when you chose Continue. Not typed by you; the chat shows a line here.')
      : null;
  if (visibility.kind === 'handoff')
    return t('Summary sent to the model in place of everything above. The chat shows a line here.');
  if (visibility.kind === 'closing')
    return t('Sent to the model to close a turn without an answer. Not shown in the chat.');
  const { reason, absorbedInto } = visibility;
  return {
    retried: t('Hidden: replaced by a retry.'),
    rewound: t('Hidden: the session was rewound to before this.'),
    edited: t('Hidden: the prompt was edited and sent again.'),
    merged: mergedText(absorbedInto === null ? undefined : absorbers.get(absorbedInto)),
    dropped: t('Hidden: removed so that the model accepts the history.'),
    compressed: t('Hidden: included in a summary.'),
  }[reason];
}

function mergedText(into: number | undefined): string {
  if (into === undefined) return t('Hidden: merged into another row, so that the model accepts the history.');
  return t('Hidden: merged into row {number}, so that the model accepts the history.', { number: into });
}

function joinedText(numbers: readonly number[]): string | null {
  return numbers.length === 0
    ? null
    : t('Hidden rows merged into this one: {rows}', { rows: shownList(numbers.toSorted((a, b) => a - b).map(String)) });
}

function madeUpText(message: Message): string | null {
  const isMadeUp = message.role === 'tool' && message.uid.endsWith(`/result/${message.parts[0].callId}`);
  return isMadeUp ? t('Added by a repair: the model requires a result for every tool call.') : null;
}
