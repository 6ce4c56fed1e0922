import { answerText, type Turn } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import type { LiveMessage } from '../state/liveMessage';
import { Toolbar, type ToolbarAction } from '../common/Toolbar';
import { PromptEdits } from '../session/promptEdits';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';

interface PromptToolsProps {
  readonly message: LiveMessage;
  /** The turn it starts. */
  readonly turn: Turn | null;
  /** True when the toolbar takes the focus as it renders. */
  readonly focused: boolean;
}

/** Actions for a prompt. A prompt that is not stored yet can only be copied. */
export function PromptTools({ message, turn, focused }: PromptToolsProps) {
  const chat = useChat();
  const busy = chat.isBusy.value;
  const text = answerText(message.parts);
  const heads = message.row !== null && turn !== null;
  const isOpen = turn !== null && turn.state !== 'settled';
  const actions: readonly (ToolbarAction | false)[] = [
    heads && {
      icon: 'edit',
      label: t('Edit & Resend'),
      act: () => chat.part(PromptEdits).change(turn.uid, text),
      disabled: busy,
    },
    message.row !== null && {
      icon: 'git-branch',
      label: t('Branch from Here'),
      act: () => void chat.part(SessionSwitchController).branch(message.uid),
      disabled: isOpen,
    },
    heads && {
      icon: 'discard',
      label: t('Rewind to Here…'),
      act: () => void chat.part(SessionSwitchController).offerRewind(message.uid),
      disabled: busy,
    },
    { icon: 'copy', label: t('Copy Prompt'), act: () => chat.copy(text) },
  ];
  return (
    <span class="on-hover">
      <Toolbar label={t('Prompt Actions')} actions={actions.filter((action) => action !== false)} focused={focused} />
    </span>
  );
}
