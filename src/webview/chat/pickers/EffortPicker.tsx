import { t } from '../../localization';
import { effortName, effortLabels, offeredEfforts } from './effortLabels';
import { OptionPicker } from './OptionPicker';
import { EffortController } from './effortController';
import { useChat } from '../state/chat';

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
