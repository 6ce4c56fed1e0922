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
