import { t } from '../../localization';
import { OptionPicker } from './OptionPicker';
import { EffortController } from './effortController';
import { useChat } from '../state/chat';
import type { ModelRow } from '../../../protocol/chatProtocol';
import { reasoningEfforts, type ReasoningEffort } from '../../../transcript/session';

/** Name of each effort, and what it does. */
const effortLabels: Readonly<Record<ReasoningEffort, () => { readonly name: string; readonly description: string }>> = {
  default: () => ({ name: t('Default'), description: t('The model’s default.') }),
  none: () => ({ name: t('Off'), description: t('Answers without reasoning first, if the model allows it.') }),
  low: () => ({ name: t('Low'), description: t('Brief reasoning: faster and cheaper.') }),
  medium: () => ({ name: t('Medium'), description: t('Balanced.') }),
  high: () => ({ name: t('High'), description: t('More reasoning: slower and uses more tokens.') }),
};

/** Reasoning effort of the model, if the model supports a choice. */
export function EffortPicker() {
  const chat = useChat();
  const { conversation, model } = chat.steady.value;
  const chosen = chat.part(EffortController).of(conversation?.session.id ?? null);
  const efforts = offeredEfforts(model.chosen, chosen);
  if (efforts.length === 0) return null;
  // An effort the model does not support is not sent: the default is used.
  const shown = efforts.includes(chosen) ? chosen : 'default';
  const { name, description } = effortLabels[shown]();
  return (
    <OptionPicker
      id="effort"
      label={t('Effort')}
      listLabel={t('Efforts')}
      icon="lightbulb"
      title={t('Effort {effort}: {words}', { effort: name, words: description })}
      class={`effort-picker effort-${shown}`}
      options={efforts.map((value) => ({ value, ...effortLabels[value]() }))}
      chosen={shown}
      pick={(effort) => void chat.part(EffortController).set(effort)}
    >
      <span class="picker-label">{shown === 'default' ? t('Effort') : name}</span>
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
