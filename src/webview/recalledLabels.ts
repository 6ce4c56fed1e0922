import type { Recalled } from '../protocol/transcriptTypes';
import { t } from './localization';

/** Describes the memories recalled for a prompt in a few words; empty when there are none. */
export function recalledLabels(found: readonly Recalled[]): readonly string[] {
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const labels = found.filter((one) => one.count === 0 && one.label !== '').map(({ label }) => label);
  if (count === 0) return labels.slice(0, 1);
  return [count === 1 ? t('Recalled 1 memory') : t('Recalled {count} memories', { count: String(count) })];
}
