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
