import { maintenance, read, write } from './storeMethod';

/** Events for memory providers, kept until they are delivered. One call is one transaction; see `SessionOperations`. */
export const outboxMethods = {
  /** A repeated uid changes nothing. */
  outboxAdd: write<(entry: NewOutboxEntry) => void>(),
  /** Due entries, in the order in which they were added. An entry waits for the earlier ones of its session and
   *  provider: while one of them is deferred, the later ones are not due either. */
  outboxDue: read<(provider: string, now: number, limit: number) => readonly OutboxEntry[]>(),
  /** Removes a delivered entry. A repeated call changes nothing. */
  outboxDone: maintenance<(uid: string) => void>(),
  /** Counts a failed attempt and sets the time of the next one. Does nothing when the entry no longer exists. */
  outboxFailed: maintenance<(uid: string, error: string, nextAttemptAt: number) => void>(),
  /** One item per provider that has entries. */
  outboxCounts: read<() => readonly OutboxCount[]>(),
};

export interface NewOutboxEntry {
  /** Set by the caller: the same event is added only once. */
  readonly uid: string;
  readonly provider: string;
  readonly sessionId: string;
  readonly kind: string;
  /** JSON text. */
  readonly payload: string;
  /** Both in seconds since the epoch. */
  readonly createdAt: number;
  readonly nextAttemptAt: number;
}

export interface OutboxEntry extends NewOutboxEntry {
  /** Number of failed deliveries. */
  readonly attempts: number;
  readonly lastError: string | null;
}

export interface OutboxCount {
  readonly provider: string;
  readonly waiting: number;
  /** Waiting entries that failed at least once. */
  readonly failed: number;
  /** Time at which the oldest entry was added, in seconds since the epoch. */
  readonly oldestAt: number;
  /** Last error of the oldest entry that failed. */
  readonly lastError: string | null;
}
