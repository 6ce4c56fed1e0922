import { modes } from '../../../protocol/transcriptWords';
import { t } from '../../localization';
import { modeIcons, modeName, modeWords } from '../modeWords';
import { useChat } from './ChatContext';
import { OptionPicker } from './OptionPicker';

/** How freely the agent may act here. */
export function ModePicker() {
  const chat = useChat();
  const { conversation, newMode } = chat.steady.value;
  const mode = conversation?.mode ?? newMode;
  return (
    <OptionPicker
      id="mode"
      label={t('Mode')}
      listLabel={t('Modes')}
      icon={modeIcons[mode]}
      title={`${modeName(mode)}: ${modeWords(mode)}`}
      class={`mode-picker mode-${mode}`}
      options={modes.map((value) => ({ value, name: modeName(value), words: modeWords(value) }))}
      chosen={mode}
      pick={(chosen) => void chat.approvals.setMode(chosen)}
    >
      <span class="picker-label">{modeName(mode)}</span>
    </OptionPicker>
  );
}
