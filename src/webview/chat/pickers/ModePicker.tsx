import { modes, type Mode } from '../../../transcript/approval';
import { modeLabels, modeName } from '../common/modeLabels';
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
      note={() => lazy !== null && <lazy.SandboxNote />}
      pick={(chosen) => void chat.part(ApprovalController).setMode(chosen)}
    >
      <span class="picker-label">{modeName(mode)}</span>
    </OptionPicker>
  );
}
