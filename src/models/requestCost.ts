import { unknownUsage, type Usage } from '../transcript/usage';
import type { ModelPrice } from './modelInfo';

/** Adds the cost to one request's counts: the cost that the service reports, or else one from the listed prices.
 *  Calculated at the time of the request, because prices change later. */
export function withCost(usage: Usage, price: ModelPrice | null): Usage {
  const costUsd = usage.costUsd ?? (price === null ? null : costOf(usage, price));
  return { ...usage, requests: 1, ...(costUsd === null ? {} : { costUsd }) };
}

/** The same for a request that may have no counts. Without them, only a free request has a known cost. */
export function countedCost(usage: Usage | null, price: ModelPrice | null): Usage | null {
  return usage === null && !isFree(price) ? null : withCost(usage ?? unknownUsage, price);
}

function isFree(price: ModelPrice | null): boolean {
  return price !== null && price.input === 0 && price.output === 0;
}

/** Null when a used item has no listed price: a cost that leaves it out or guesses it would be wrong. */
function costOf(
  { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Usage,
  listed: ModelPrice,
): number | null {
  if (isFree(listed)) return 0;
  if (inputTokens === null || outputTokens === null) return null;
  const price = listed.long !== undefined && inputTokens > listed.long.fromInput ? listed.long : listed;
  const [cached, written] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  const cachedCost = cached === 0 ? 0 : price.cachedInput === undefined ? null : cached * price.cachedInput;
  const writtenCost = written === 0 ? 0 : price.cacheWrite === undefined ? null : written * price.cacheWrite;
  if (cachedCost === null || writtenCost === null) return null;
  // The input token count includes tokens read from the cache or written to it.
  const plain = Math.max(0, inputTokens - cached - written);
  return (plain * price.input + cachedCost + writtenCost + outputTokens * price.output) / 1e6;
}
