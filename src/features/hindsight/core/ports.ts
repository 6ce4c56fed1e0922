import type { NewOutboxEntry, OutboxCount, OutboxEntry } from '../../../store/outbox';
import type { HindsightApi, HindsightPlace } from './hindsightApi';

/** The store's outbox, implemented by `SessionStore`. */
export interface MemoryOutbox {
  outboxAdd(entry: NewOutboxEntry): Promise<void>;
  outboxDue(provider: string, now: number, limit: number): Promise<readonly OutboxEntry[]>;
  outboxDone(uid: string): Promise<void>;
  outboxFailed(uid: string, error: string, nextAttemptAt: number): Promise<void>;
  outboxCounts(): Promise<readonly OutboxCount[]>;
}

/** The store's small key-value entries. */
export interface CursorStore {
  getMeta(key: string): Promise<string | null>;
  setMeta(key: string, value: string): Promise<void>;
  deleteMeta(key: string): Promise<void>;
}

/** A turn's text as the user sees it. Times in seconds since the epoch. */
export interface TurnText {
  readonly prompt: string;
  readonly answer: string;
  readonly startedAt: number;
  readonly settledAt: number;
}

/** The parts of the stored transcript that documents are made from. */
export interface SessionTurns {
  /** Returns those of these turns that are complete and shown now. Leaves out rewound, retried and erased ones. */
  read(sessionId: string, turnUids: ReadonlySet<string>): Promise<ReadonlyMap<string, TurnText>>;
  /** open: running or waiting · over: interrupted, failed, or unknown. */
  stateOf(turnUid: string): Promise<'open' | 'complete' | 'over'>;
}

/** A configured server with its client. */
export interface HindsightConnection {
  readonly place: HindsightPlace;
  readonly api: HindsightApi;
}

/** Null until the user has set Hindsight up. Rejects when the client cannot be loaded. */
export type Connect = () => Promise<HindsightConnection | null>;
