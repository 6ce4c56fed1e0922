import type { ModelRow } from '../../../protocol/chatProtocol';
import { reasoningEfforts, type ReasoningEffort } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** Returns the efforts the model offers; empty when there is no choice. A chosen effort stays visible while the
 *  model's efforts are unknown. */
export function offeredEfforts(
  model: Pick<ModelRow, 'efforts'> | null,
  chosen: ReasoningEffort,
): readonly ReasoningEffort[] {
  const efforts = model?.efforts ?? (chosen === 'default' ? [] : reasoningEfforts);
  return efforts.length > 1 ? efforts : [];
}

export function effortName(effort: ReasoningEffort): string {
  switch (effort) {
    case 'default':
      return t('Default');
    case 'none':
      return t('Off');
    case 'low':
      return t('Low');
    case 'medium':
      return t('Medium');
    case 'high':
      return t('High');
    default:
      return effort satisfies never;
  }
}

export function effortLabels(effort: ReasoningEffort): string {
  switch (effort) {
    case 'default':
      return t('The model’s default.');
    case 'none':
      return t('Answers without reasoning first, if the model allows it.');
    case 'low':
      return t('Brief reasoning: faster and cheaper.');
    case 'medium':
      return t('Balanced.');
    case 'high':
      return t('More reasoning: slower and uses more tokens.');
    default:
      return effort satisfies never;
  }
}
