import type { Cost } from '../transcript/cost';

/** Cost of sessions, from the usage that is stored with their turns. A turn counts once: in a branch, the turns
 *  copied from its origin do not count. */
export interface SpendingOperations {
  /** All segments of the conversation, and the sub-agents that worked for it. */
  sessionSpending(sessionId: string): SessionSpending;
  /** Turns of all sessions that settled at `since` (seconds since the epoch) or later, and those that are open. */
  spendingSince(since: number): Cost;
  /** Stores that the conversation may cost up to `usd` before the user is asked again. */
  allowSpending(sessionId: string, usd: number): void;
}

export interface SessionSpending {
  readonly cost: Cost;
  /** US dollars up to which the user allowed the conversation to continue. Null: the user was never asked. */
  readonly allowedUsd: number | null;
}
