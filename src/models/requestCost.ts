import type { Usage } from '../transcript/usage';
import type { ModelPrice } from './modelInfo';

/** One request's counts with what it cost: as the service counted it, else by the listed prices. Decided when the request was made, because prices
 *  change and what was paid does not. */
export function withCost(usage: Usage, price: ModelPrice | null): Usage {
  const costUsd = usage.costUsd ?? (price === null ? null : costOf(usage, price));
  return { ...usage, requests: 1, ...(costUsd === null ? {} : { costUsd }) };
}

/** Null where something was used whose price is not listed: a cost that leaves it out, or guesses it, would be wrong. */
function costOf(
  { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Usage,
  price: ModelPrice,
): number | null {
  if (inputTokens === null || outputTokens === null) return null;
  const [cached, written] = [cachedInputTokens ?? 0, cacheWriteTokens ?? 0];
  const cachedCost = cached === 0 ? 0 : price.cachedInput === undefined ? null : cached * price.cachedInput;
  const writtenCost = written === 0 ? 0 : price.cacheWrite === undefined ? null : written * price.cacheWrite;
  if (cachedCost === null || writtenCost === null) return null;
  // The count of input tokens holds those that were read from the cache or written to it.
  const plain = Math.max(0, inputTokens - cached - written);
  return (plain * price.input + cachedCost + writtenCost + outputTokens * price.output) / 1e6;
}
