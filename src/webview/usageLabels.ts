import { dollars } from '../transcript/cost';
import type { Usage } from '../transcript/usage';
import type { Recalled } from '../transcript/turn';
import { pageLanguage, t } from './localization';
import { compactCount, percentOf } from './times';

const whole = new Intl.NumberFormat(pageLanguage);

const leastCost = 0.0001;

/** "12.3K tok (80% cached)": tokens sent to and received from the model. Null when neither was counted. */
export function tokenText({ inputTokens, outputTokens, cachedInputTokens }: Usage): string | null {
  if (inputTokens === null && outputTokens === null) return null;
  const tokens = compactCount((inputTokens ?? 0) + (outputTokens ?? 0));
  if (cachedInputTokens === null || cachedInputTokens === 0 || inputTokens === null || inputTokens === 0)
    return t('{tokens} tok', { tokens });
  return t('{tokens} tok ({share} cached)', { tokens, share: percentOf(Math.min(1, cachedInputTokens / inputTokens)) });
}

/** "$0.021". Null when unknown, and for a request that was free. */
export function costText({ costUsd }: Usage): string | null {
  if (costUsd === null || costUsd === undefined || costUsd === 0) return null;
  if (costUsd < leastCost) return t('less than {cost}', { cost: dollars(leastCost, pageLanguage) });
  return dollars(costUsd, pageLanguage);
}

/** All counts, one per line: for a tooltip or a list. */
export function usageLines(usage: Usage): readonly string[] {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, requests } = usage;
  const counted = (count: number | null, label: (tokens: string) => string): readonly string[] =>
    count === null ? [] : [label(whole.format(count))];
  const some = (count: number | null): number | null => (count === 0 ? null : count);
  const cost = costText(usage);
  return [
    ...counted(inputTokens, (tokens) => t('Input: {tokens} tokens', { tokens })),
    ...counted(some(cachedInputTokens), (tokens) => t('from the cache: {tokens}', { tokens })),
    ...counted(some(cacheWriteTokens), (tokens) => t('written to the cache: {tokens}', { tokens })),
    ...counted(outputTokens, (tokens) => t('Output: {tokens} tokens', { tokens })),
    ...counted(some(reasoningTokens), (tokens) => t('for reasoning: {tokens}', { tokens })),
    ...(requests === undefined ? [] : [requests === 1 ? t('1 request') : t('{count} requests', { count: requests })]),
    ...(cost === null ? [] : [t('Cost: {cost}', { cost })]),
  ];
}

/** Describes the memories recalled for a prompt in a few words; empty when there are none. */
export function recalledLabels(found: readonly Recalled[]): readonly string[] {
  const hooks = found.filter(({ provider }) => provider === 'hooks').map(({ label }) => label);
  if (hooks.length > 0) return [...hooks, ...recalledLabels(found.filter(({ provider }) => provider !== 'hooks'))];
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const labels = found.filter((one) => one.count === 0 && one.label !== '').map(({ label }) => label);
  if (count === 0) return labels.slice(0, 1);
  return [count === 1 ? t('Recalled 1 memory') : t('Recalled {count} memories', { count: String(count) })];
}
