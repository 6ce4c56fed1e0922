import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../../store/outbox/outbox';
import type { HindsightApi, HindsightPlace } from './hindsightApi';

/** The store's outbox: `SessionStore` has these. */
export interface MemoryOutbox {
  outboxAdd(entry: NewOutboxEntry): Promise<void>;
  outboxDue(provider: string, now: number, limit: number): Promise<readonly OutboxEntry[]>;
  outboxDone(uid: string): Promise<void>;
  outboxFailed(uid: string, error: string, nextAttemptAt: number): Promise<void>;
  outboxCounts(): Promise<readonly OutboxCount[]>;
}

/** The store's small durable values. */
export interface CursorStore {
  getMeta(key: string): Promise<string | null>;
  setMeta(key: string, value: string): Promise<void>;
  deleteMeta(key: string): Promise<void>;
}

/** What a turn said, as a person sees it. Times in seconds since the epoch. */
export interface TurnText {
  readonly prompt: string;
  readonly answer: string;
  readonly startedAt: number;
  readonly settledAt: number;
}

/** The stored transcript, as far as documents are made from it. */
export interface SessionTurns {
  /** Of these turns, those that are complete and shown now; rewound, retried and forgotten ones are left out. */
  read(sessionId: string, turnUids: ReadonlySet<string>): Promise<ReadonlyMap<string, TurnText>>;
  /** open: running or waiting · over: interrupted, failed, or unknown. */
  stateOf(turnUid: string): Promise<'open' | 'complete' | 'over'>;
}

/** A server that was set up, with a client for it. */
export interface HindsightConnection {
  readonly place: HindsightPlace;
  readonly api: HindsightApi;
}

/** Null until the person has set Hindsight up. Rejects when the client cannot be loaded. */
export type Connect = () => Promise<HindsightConnection | null>;
