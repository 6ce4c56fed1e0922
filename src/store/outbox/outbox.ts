/** What memory providers are still to be told, kept until it was delivered. One call is one transaction; see `SessionOperations`. */
export interface Outbox {
  /** A repeated uid changes nothing. */
  outboxAdd(entry: NewOutboxEntry): void;
  /** Entries whose time has come, in the order in which they were added. An entry waits behind the earlier ones of its session and provider:
   *  when one of them is to be tried later, those behind it are not due either. */
  outboxDue(provider: string, now: number, limit: number): readonly OutboxEntry[];
  /** Delivered: the entry is removed. A repeated call changes nothing. */
  outboxDone(uid: string): void;
  /** Counts an attempt and says when the next one is due. Nothing happens when the entry is gone. */
  outboxFailed(uid: string, error: string, nextAttemptAt: number): void;
  /** One line per provider that has entries. */
  outboxCounts(): readonly OutboxCount[];
}

export interface NewOutboxEntry {
  /** Given by the caller: the same event is added once. */
  readonly uid: string;
  readonly provider: string;
  readonly sessionId: string;
  readonly kind: string;
  /** JSON text. */
  readonly payload: string;
  /** Seconds since the epoch, both. */
  readonly createdAt: number;
  readonly nextAttemptAt: number;
}

export interface OutboxEntry extends NewOutboxEntry {
  /** Deliveries that failed. */
  readonly attempts: number;
  readonly lastError: string | null;
}

export interface OutboxCount {
  readonly provider: string;
  readonly waiting: number;
  /** Those of them that failed at least once. */
  readonly failed: number;
  /** When the oldest was added, in seconds since the epoch. */
  readonly oldestAt: number;
  /** What the last failure of the oldest failed entry said. */
  readonly lastError: string | null;
}
