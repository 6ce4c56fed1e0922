import { t } from '../../localization';
import { OptionPicker } from './OptionPicker';
import { EffortController } from './effortController';
import { useChat } from '../state/chat';
import type { ModelRow } from '../../../protocol/chatProtocol';
import { reasoningEfforts, type ReasoningEffort } from '../../../transcript/session';

/** Reasoning effort of the model, if the model supports a choice. */
export function EffortPicker() {
  const chat = useChat();
  const { conversation, model } = chat.steady.value;
  const chosen = chat.part(EffortController).of(conversation?.session.id ?? null);
  const efforts = offeredEfforts(model.chosen, chosen);
  if (efforts.length === 0) return null;
  // An effort the model does not support is not sent: the default is used.
  const shown = efforts.includes(chosen) ? chosen : 'default';
  return (
    <OptionPicker
      id="effort"
      label={t('Effort')}
      listLabel={t('Efforts')}
      icon="lightbulb"
      title={t('Effort {effort}: {words}', { effort: effortName(shown), words: effortLabels(shown) })}
      class={`effort-picker effort-${shown}`}
      options={efforts.map((value) => ({ value, name: effortName(value), description: effortLabels(value) }))}
      chosen={shown}
      pick={(effort) => void chat.part(EffortController).set(effort)}
    >
      <span class="picker-label">{shown === 'default' ? t('Effort') : effortName(shown)}</span>
    </OptionPicker>
  );
}

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

function effortLabels(effort: ReasoningEffort): string {
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
