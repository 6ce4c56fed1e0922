import { t } from '../../../localization';
import { effortName, effortLabels, offeredEfforts } from '../../labels/effortLabels';
import { useChat } from '../common/ChatContext';
import { OptionPicker } from './OptionPicker';

/** How hard the model thinks before it answers, where it lets itself be asked. */
export function EffortPicker() {
  const chat = useChat();
  const { conversation, model } = chat.steady.value;
  const chosen = chat.effort.of(conversation?.session.id ?? null);
  const efforts = offeredEfforts(model.chosen, chosen);
  if (efforts.length === 0) return null;
  // What the model does not take is not sent: it is asked as by default.
  const shown = efforts.includes(chosen) ? chosen : 'default';
  return (
    <OptionPicker
      id="effort"
      label={t('Effort')}
      listLabel={t('Efforts')}
      icon="lightbulb"
      title={t('Effort {effort}: {words}', { effort: effortName(shown), words: effortLabels(shown) })}
      class={`effort-picker effort-${shown}`}
      options={efforts.map((value) => ({ value, name: effortName(value), words: effortLabels(value) }))}
      chosen={shown}
      pick={(effort) => void chat.effort.set(effort)}
    >
      <span class="picker-label">{shown === 'default' ? t('Effort') : effortName(shown)}</span>
    </OptionPicker>
  );
}
