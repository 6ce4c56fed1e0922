import type { Usage } from '../transcript/usage';
import type { ModelPrice } from './modelInfo';

/** Adds the cost to one request's counts: the cost that the service reports, or else one from the listed prices.
 *  Calculated at the time of the request, because prices change later. */
export function withCost(usage: Usage, price: ModelPrice | null): Usage {
  const costUsd = usage.costUsd ?? (price === null ? null : costOf(usage, price));
  return { ...usage, requests: 1, ...(costUsd === null ? {} : { costUsd }) };
}

/** Null when a used item has no listed price: a cost that leaves it out or guesses it would be wrong. */
function costOf(
  { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Usage,
  price: ModelPrice,
): number | null {
  if (inputTokens === null || outputTokens === null) return null;
  const [cached, written] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  const cachedCost = cached === 0 ? 0 : price.cachedInput === undefined ? null : cached * price.cachedInput;
  const writtenCost = written === 0 ? 0 : price.cacheWrite === undefined ? null : written * price.cacheWrite;
  if (cachedCost === null || writtenCost === null) return null;
  // The input token count includes tokens read from the cache or written to it.
  const plain = Math.max(0, inputTokens - cached - written);
  return (plain * price.input + cachedCost + writtenCost + outputTokens * price.output) / 1e6;
}
