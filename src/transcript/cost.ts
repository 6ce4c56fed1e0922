/** Cost of several turns in US dollars. */
export interface Cost {
  /** Sum over the turns whose cost is known. */
  readonly usd: number;
  /** Number of turns whose cost is not known. Their cost is missing from the sum. */
  readonly unpriced: number;
}

/** Cost of a session and of a day. */
export interface Spending {
  /** The session with its sub-agents. Null: no session was named. */
  readonly session: Cost | null;
  /** All sessions of this store since local midnight. */
  readonly today: Cost;
}
