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

/** "$12.35", or "$0.021" below one dollar. Default: the language of the program. */
export function dollars(usd: number, language?: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    ...(usd > 0 && usd < 1 ? { maximumSignificantDigits: 2 } : {}),
  }).format(usd);
}
