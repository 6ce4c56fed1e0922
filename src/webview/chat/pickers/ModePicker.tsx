import { modes, type Mode } from '../../../transcript/approval';
import { modeLabels } from '../common/modeLabels';
import { t } from '../../localization';
import { OptionPicker } from './OptionPicker';
import { ApprovalController } from '../cards/approvalController';
import { lazyPickers } from './lazyPickers';
import { useChat } from '../state/chat';

const modeIcons: Readonly<Record<Mode, string>> = { ask: 'shield', auto: 'edit', plan: 'list-ordered' };

/** Permission mode: how freely the agent may act here. */
export function ModePicker() {
  const chat = useChat();
  const lazy = lazyPickers.value;
  const { conversation, newMode, sandbox } = chat.steady.value;
  const mode = conversation?.mode ?? newMode;
  const confined = sandbox?.kind === 'works';
  return (
    <OptionPicker
      id="mode"
      label={t('Mode')}
      listLabel={t('Modes')}
      icon={modeIcons[mode]}
      title={`${modeLabels[mode].name()}: ${modeLabels[mode].about(confined)}`}
      class={`mode-picker mode-${mode}`}
      options={modes.map((value) => ({
        value,
        name: modeLabels[value].name(),
        description: modeLabels[value].about(confined),
      }))}
      chosen={mode}
      note={() => lazy !== null && <lazy.SandboxNote />}
      pick={(chosen) => void chat.part(ApprovalController).setMode(chosen)}
    >
      <span class="picker-label">{modeLabels[mode].name()}</span>
    </OptionPicker>
  );
}
