import { createHash, type Hash } from 'node:crypto';
import type { ImportedRow, ImportedSegment, ImportedTurn } from '../../../../store/importing';
import { importedRow } from '../../../../store/session/tables/messageRow';
import { closingRow, endsTurn } from '../../../../transcript/closingText';
import { handoffPart, handoffUid } from '../../../../transcript/handoff';
import { answerText, type HiddenReason, type NewMessage, type Visibility } from '../../../../transcript/message';
import type { StopReason } from '../../../../transcript/stopReason';
import { addUsage, type Usage } from '../../../../transcript/usage';
import type { ForeignMessage } from '../sources/foreign';
import { withoutSideFile } from '../sources/reading/sideFiles';
import { CarriedRows } from './carriedRows';
import { draftRows, type DraftRow } from './foreignRows';
import { messageUid, segmentId } from './importedIds';
import { TurnBuffer } from './turnBuffer';

/** Distance between positions, as between rows that are written here. */
const positionGap = 1024;
/** Size of the position range of a segment. */
const segmentRoom = 2 ** 32;
/** Begins each digest: a change of what is digested is not a change of the source. */
export const digestVersion = '3:';
/** Rows of one turn that are kept until the turn ends. */
const longTurn = 4096;

const summaryMissing =
  'The earlier part of this conversation was compacted in the program it comes from. The summary is not available.';

interface ConverterInput {
  readonly sessionId: string;
  /** Its first row must be a handoff. */
  readonly isContinuation: boolean;
  /** The number before its first position. */
  readonly start: number;
  /** Seconds since the epoch: for messages without a time. */
  readonly startedAt: number;
  /** Seconds since the epoch: no row is later. */
  readonly now: number;
  readonly model: string | null;
  /** True when rows of an unfinished turn may be taken. */
  readonly cutsTurns: boolean;
}

/** Place between two turns: a later import continues here. */
export interface TurnBorder {
  readonly messages: number;
  readonly digest: string;
  /** Rows after the border have this position or a later one. */
  readonly from: number;
}

export interface ConvertedRows {
  readonly segments: readonly ImportedSegment[];
  readonly rows: readonly ImportedRow[];
  readonly turns: readonly ImportedTurn[];
}

interface OpenTurn {
  readonly uid: string;
  readonly sessionId: string;
  readonly promptUid: string;
  readonly startedAt: number;
  model: string | null;
  usage: Usage | null;
  finishReason: string | null;
  /** Why it ended, where the source says that it had no answer or only a part of one. */
  ended: StopReason | null;
  /** The newest row that is sent. */
  last: NewMessage | null;
}

/** Makes rows of our store out of the messages of a foreign session, in order. The same messages make the same rows. */
export class SessionConverter {
  private readonly digest: Hash = createHash('sha256');
  private readonly buffer = new TurnBuffer();
  private readonly carried = new CarriedRows();
  private out: { segments: ImportedSegment[]; rows: ImportedRow[]; turns: ImportedTurn[] } = emptyRows();
  private segment = 1;
  private position: number;
  private segmentIsEmpty = true;
  private turn: OpenTurn | null = null;
  /** Messages so far. */
  messages = 0;
  /** Rows that are sent to a model. */
  sentRows = 0;
  /** The first prompt. */
  prompt: string | null = null;
  usage: Usage | null = null;
  /** Seconds since the epoch. */
  lastTime: number;
  /** The place before the turn in progress. */
  lastBorder: TurnBorder;

  constructor(private readonly input: ConverterInput) {
    this.position = input.start;
    this.lastTime = Math.min(input.startedAt, input.now);
    this.lastBorder = { messages: 0, digest: this.whole, from: input.start };
  }

  /** Returns sentences about content that was left out. */
  add(message: ForeignMessage): readonly string[] {
    const isSent = isSentView(message);
    const { rows, omitted } = draftRows(message);
    this.lastTime = Math.min(message.createdAt ?? this.lastTime, this.input.now);
    if (message.view === 'summary') this.beginSegment(message);
    else if (isSent && rows.length > 0 && this.segmentIsEmpty && this.segment === 1 && this.input.isContinuation)
      this.handoff('');
    this.note(message, rows);
    if (message.view !== 'summary')
      rows.forEach((row, index) =>
        this.addRow(
          message,
          row,
          `${messageUid(this.input.sessionId, message.id)}${index === 0 ? '' : `/${index}`}`,
          isSent,
        ),
      );
    if (this.input.cutsTurns && this.buffer.size > longTurn) this.emit(this.buffer.takeAnswered());
    return [...(message.omitted ?? []), ...omitted];
  }

  /** Notes why the turn in progress ended. An answer that follows in it takes that back: it was tried again. */
  turnEnded(reason: StopReason): void {
    if (this.turn !== null) this.turn.ended = reason;
  }

  take(): ConvertedRows {
    const taken = this.out;
    this.out = emptyRows();
    return taken;
  }

  /** Number of rows that `take` would return. */
  get ready(): number {
    return this.out.rows.length + this.out.turns.length;
  }

  /** Digest of all messages so far. */
  get whole(): string {
    return `${digestVersion}${this.digest.copy().digest('base64url')}`;
  }

  private note({ id, role, view, parts, usage = null }: ForeignMessage, rows: readonly DraftRow[]): void {
    this.messages++;
    if (usage !== null) this.usage = this.usage === null ? usage : addUsage(this.usage, usage);
    const kind = view === 'shown' || view === 'compacted' ? 'sent' : view;
    this.digest.update(`${JSON.stringify(id)} ${role} ${kind} ${rows.length}\n`);
    // A text that was replaced there counts as changed, also by one of the same length.
    for (const part of parts) if ('text' in part) this.digest.update(`${withoutSideFile(part.text)}\n`);
  }

  private addRow(message: ForeignMessage, draft: DraftRow, uid: string, isSent: boolean): void {
    if (isSent && draft.role === 'user') this.beginTurn(uid);
    const hidden = isSent ? null : hiddenReason(message);
    if (draft.role !== 'tool') return this.addOwn(message, draft, uid, shownOr(hidden));
    const [result] = draft.parts;
    const name = result.name === '' ? (this.buffer.nameOf(result.callId) ?? 'tool') : result.name;
    const named = { role: 'tool', parts: [{ ...result, name }] } as const;
    const row: NewMessage = { ...this.base(uid, shownOr(hidden)), ...named };
    if (hidden === null && this.buffer.answer(result, row)) return this.noteSent(row, message);
    // No call waits for it: kept, but a provider would reject it.
    this.buffer.add({ ...this.base(uid, shownOr(hidden ?? 'dropped')), ...named });
  }

  private addOwn(
    message: ForeignMessage,
    draft: Exclude<DraftRow, { role: 'tool' }>,
    uid: string,
    visibility: Visibility,
  ): void {
    const base = this.base(uid, visibility);
    const row: NewMessage =
      draft.role === 'user'
        ? { ...base, ...draft }
        : {
            ...base,
            ...draft,
            state: 'final',
            lastSeq: 0,
            model: message.model ?? null,
            finishReason: message.finishReason ?? null,
            usage: message.usage ?? null,
          };
    const joined = this.buffer.join(row);
    if (joined === null) this.buffer.add(row);
    if (visibility.kind !== 'hidden') this.noteSent(row, message, joined);
  }

  private noteSent(row: NewMessage, message: ForeignMessage, joined: NewMessage | null = null): void {
    const { id, model, usage = null, finishReason = null, view } = message;
    if (joined === null) this.sentRows++;
    this.segmentIsEmpty = false;
    if (joined === null) this.carried.keep(id, row, view === 'shown');
    else this.carried.replaceLast(id, joined, view === 'shown');
    if (row.role === 'user') this.prompt ??= textOf(row);
    const { turn } = this;
    if (turn === null) return;
    turn.last = row;
    if (row.role !== 'assistant') return;
    turn.model = model ?? turn.model;
    turn.finishReason = finishReason;
    turn.ended = null;
    if (usage !== null) turn.usage = turn.usage === null ? usage : addUsage(turn.usage, usage);
  }

  private base(uid: string, visibility: Visibility) {
    const sessionId = segmentId(this.input.sessionId, this.segment);
    return { uid, sessionId, turnUid: this.turn?.uid ?? null, createdAt: this.lastTime, visibility, carriedFrom: null };
  }

  private beginTurn(promptUid: string): void {
    this.end();
    this.lastBorder = { messages: this.messages, digest: this.whole, from: this.position + 1 };
    const sessionId = segmentId(this.input.sessionId, this.segment);
    // The uid begins with its session, as that of a copied turn: its cost is not counted again.
    const uid = `${sessionId}/turn/${promptUid.slice(this.input.sessionId.length + 1)}`;
    this.turn = {
      uid,
      sessionId,
      promptUid,
      startedAt: this.lastTime,
      model: null,
      usage: null,
      finishReason: null,
      ended: null,
      last: null,
    };
  }

  /** Ends the turn in progress. */
  end(): void {
    this.emit(this.buffer.takeAll(this.lastTime));
    const { turn } = this;
    this.turn = null;
    if (turn === null) return;
    const isAnswered = turn.last !== null && endsTurn(turn.last);
    // Where the source does not say, neither do we: the reason is told to the model.
    const reason = turn.ended ?? (isAnswered ? stopReasonOf(turn.finishReason) : 'empty');
    if (!isAnswered)
      this.emit([closingRow(turn.uid, segmentId(this.input.sessionId, this.segment), reason, this.lastTime)]);
    this.out.turns.push({
      uid: turn.uid,
      sessionId: turn.sessionId,
      userMessageUid: turn.promptUid,
      model: turn.model ?? this.input.model ?? '',
      startedAt: turn.startedAt,
      // Not the time now, which is that of the next prompt.
      settledAt: Math.max(turn.last?.createdAt ?? turn.startedAt, turn.startedAt),
      outcome: isAnswered && turn.ended === null ? 'complete' : 'interrupted',
      stopReason: reason,
      usage: turn.usage,
    });
  }

  /** Begins the next segment with a summary of what is before it. */
  private beginSegment({ parts, keeps }: ForeignMessage): void {
    const summary = answerText(parts.filter((part) => part.kind === 'text'));
    this.emit(this.buffer.takeAll(this.lastTime));
    if (this.segmentIsEmpty) return this.handoff(summary);
    const parentId = segmentId(this.input.sessionId, this.segment);
    this.segment++;
    const id = segmentId(this.input.sessionId, this.segment);
    this.out.segments.push({ id, parentId, startedAt: this.lastTime });
    this.position = (Math.floor(this.position / segmentRoom) + 1) * segmentRoom;
    this.segmentIsEmpty = true;
    this.handoff(summary);
    this.emit(this.carried.take(id, keeps));
  }

  private handoff(summary: string): void {
    if (!this.segmentIsEmpty) return;
    const sessionId = segmentId(this.input.sessionId, this.segment);
    const text = summary.trim() === '' ? summaryMissing : summary;
    this.segmentIsEmpty = false;
    this.sentRows++;
    this.emit([
      {
        ...this.base(handoffUid(sessionId), { kind: 'handoff' }),
        turnUid: null,
        role: 'user',
        parts: [handoffPart(text.toWellFormed(), undefined)],
      },
    ]);
  }

  private emit(rows: readonly NewMessage[]): void {
    for (const row of rows) {
      this.position += positionGap;
      this.out.rows.push(importedRow(row, this.position));
    }
  }
}

function emptyRows(): { segments: ImportedSegment[]; rows: ImportedRow[]; turns: ImportedTurn[] } {
  return { segments: [], rows: [], turns: [] };
}

/** True when the model gets the message, or got it before a compaction. */
function isSentView({ view, role }: ForeignMessage): boolean {
  return (view === 'shown' || view === 'compacted') && role !== 'system';
}

function hiddenReason({ view }: ForeignMessage): HiddenReason {
  return view === 'abandoned' ? 'rewound' : 'dropped';
}

function shownOr(reason: HiddenReason | null): Visibility {
  return reason === null ? { kind: 'shown' } : { kind: 'hidden', reason, absorbedInto: null };
}

function stopReasonOf(finishReason: string | null): StopReason {
  switch (finishReason) {
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'refusal':
    case 'content_filter':
      return 'refusal';
    default:
      return 'stop';
  }
}

function textOf(row: NewMessage): string | null {
  const text = answerText(row.parts);
  return text.trim() === '' ? null : text;
}
