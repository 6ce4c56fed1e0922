import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { NewOutboxEntry } from '../../../store/outbox';
import type { CompletedTurn } from '../../../memory/memoryProvider';

/** The provider's name in the outbox and in the settings. */
export const hindsightName = 'hindsight';
/** Turns that began and were not handed over yet. Under a separate name, because no other entry waits for them. */
export const begunName = 'hindsight.begun';

/** Sessions to be erased. Under a separate name, because they do not wait to be remembered. */
export const forgetName = 'hindsight.forget';

const turnSchema = v.object({
  turnUid: v.string(),
  parentSessionId: v.nullable(v.string()),
  /** Null when only the store has the turn's text. */
  text: v.nullable(v.object({ prompt: v.string(), answer: v.string(), startedAt: v.number(), settledAt: v.number() })),
});
const noteSchema = v.object({
  documentId: v.string(),
  content: v.string(),
  context: v.string(),
  tags: v.array(v.string()),
  timestamp: v.nullable(v.string()),
});
const forgetSchema = v.object({ origin: v.string(), bank: v.string() });
const begunSchema = v.object({ turnUid: v.string(), parentSessionId: v.nullable(v.string()) });

export type TurnPayload = v.InferOutput<typeof turnSchema>;
type NotePayload = v.InferOutput<typeof noteSchema>;
/** The server and bank where the session must be erased. */
type ForgetPayload = v.InferOutput<typeof forgetSchema>;
type BegunPayload = v.InferOutput<typeof begunSchema>;

/** The work of an outbox entry. refresh: the session was rewound, so its documents must be updated. */
type OutboxWork =
  | { readonly kind: 'turn'; readonly turn: TurnPayload }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'note'; readonly note: NotePayload }
  | { readonly kind: 'begun'; readonly begun: BegunPayload }
  | { readonly kind: 'forget'; readonly place: ForgetPayload }
  /** Written by a newer version. */
  | { readonly kind: 'unreadable' };

export function workOf({ kind, payload }: Pick<NewOutboxEntry, 'kind' | 'payload'>): OutboxWork {
  if (kind === 'refresh') return { kind };
  if (kind === 'turn') return read(turnSchema, payload, (turn) => ({ kind, turn }));
  if (kind === 'note') return read(noteSchema, payload, (note) => ({ kind, note }));
  if (kind === 'begun') return read(begunSchema, payload, (begun) => ({ kind, begun }));
  if (kind === 'forget') return read(forgetSchema, payload, (place) => ({ kind, place }));
  return { kind: 'unreadable' };
}

export function turnEntry(turn: CompletedTurn, parentSessionId: string | null, now: number): NewOutboxEntry {
  const { sessionId, turnUid, prompt, answer, startedAt, settledAt } = turn;
  const payload: TurnPayload = { turnUid, parentSessionId, text: { prompt, answer, startedAt, settledAt } };
  return entry('turn', turnUid, sessionId, payload, now);
}

/** Entry for a turn that was complete when the process ended, but had not been handed over. */
export function foundTurnEntry(sessionId: string, begun: BegunPayload, now: number): NewOutboxEntry {
  const payload: TurnPayload = { ...begun, text: null };
  return entry('turn', begun.turnUid, sessionId, payload, now);
}

export function begunEntry(sessionId: string, begun: BegunPayload, now: number): NewOutboxEntry {
  return { ...entry('begun', begun.turnUid, sessionId, begun, now), provider: begunName };
}

export function refreshEntry(sessionId: string, uid: string, now: number): NewOutboxEntry {
  return entry('refresh', uid, sessionId, {}, now);
}

export function noteEntry(sessionId: string, uid: string, note: NotePayload, now: number): NewOutboxEntry {
  return entry('note', uid, sessionId, note, now);
}

export function forgetEntry({ origin, bank }: ForgetPayload, sessionId: string, now: number): NewOutboxEntry {
  const payload: ForgetPayload = { origin, bank };
  return { ...entry('forget', `${origin} ${bank}:${sessionId}`, sessionId, payload, now), provider: forgetName };
}

export function begunEntryUid(turnUid: string): string {
  return `hindsight:begun:${turnUid}`;
}

/** `name`: of its kind, for its uid. */
function entry(kind: string, name: string, sessionId: string, payload: object, now: number): NewOutboxEntry {
  const uid = `hindsight:${kind}:${name}`;
  // Always due: a clock that was set back must not delay it.
  return {
    uid,
    provider: hindsightName,
    sessionId,
    kind,
    payload: JSON.stringify(payload),
    createdAt: now,
    nextAttemptAt: 0,
  };
}

function read<T>(schema: v.GenericSchema<unknown, T>, payload: string, work: (value: T) => OutboxWork): OutboxWork {
  const value = parsedAs(schema, payload);
  return value === null ? { kind: 'unreadable' } : work(value);
}
