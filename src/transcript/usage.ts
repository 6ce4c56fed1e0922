/** Token counts of one model request or, summed, of a turn. Unknown counts are null, never 0. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  /** US dollars, as the provider counted it, or by its listed prices at the time of the request. Absent or null when
   *  unknown. */
  readonly costUsd?: number | null;
  /** Number of requests in this sum; absent when they were not counted. */
  readonly requests?: number;
}

export const unknownUsage: Usage = {
  inputTokens: null,
  outputTokens: null,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

/** Adds two counts field by field; a count stays null only while both sides are unknown. The cost is known only when
 *  both sides know theirs: the cost of some requests is not the cost of all. */
export function addUsage(left: Usage, right: Usage): Usage {
  const add = (a: number | null, b: number | null): number | null =>
    a === null && b === null ? null : (a ?? 0) + (b ?? 0);
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    cachedInputTokens: add(left.cachedInputTokens, right.cachedInputTokens),
    cacheWriteTokens: add(left.cacheWriteTokens, right.cacheWriteTokens),
    reasoningTokens: add(left.reasoningTokens, right.reasoningTokens),
    ...(typeof left.costUsd === 'number' && typeof right.costUsd === 'number'
      ? { costUsd: left.costUsd + right.costUsd }
      : {}),
    ...(left.requests === undefined || right.requests === undefined
      ? {}
      : { requests: left.requests + right.requests }),
  };
}

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
