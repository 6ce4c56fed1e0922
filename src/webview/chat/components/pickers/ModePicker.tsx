import { modes } from '../../../../protocol/transcriptTypes';
import { t } from '../../../localization';
import { modeIcons, modeName, modeLabels } from '../../labels/modeLabels';
import { useChat } from '../common/ChatContext';
import { laterParts } from '../common/laterParts';
import { OptionPicker } from './OptionPicker';

/** Permission mode: how freely the agent may act here. */
export function ModePicker() {
  const chat = useChat();
  const later = laterParts.value;
  const { conversation, newMode, sandbox } = chat.steady.value;
  const mode = conversation?.mode ?? newMode;
  return (
    <OptionPicker
      id="mode"
      label={t('Mode')}
      listLabel={t('Modes')}
      icon={modeIcons[mode]}
      title={`${modeName(mode)}: ${modeLabels(mode, sandbox?.kind === 'works')}`}
      class={`mode-picker mode-${mode}`}
      options={modes.map((value) => ({
        value,
        name: modeName(value),
        description: modeLabels(value, sandbox?.kind === 'works'),
      }))}
      chosen={mode}
      note={() => later !== null && <later.SandboxNote />}
      pick={(chosen) => void chat.approvals.setMode(chosen)}
    >
      <span class="picker-label">{modeName(mode)}</span>
    </OptionPicker>
  );
}
