import { answerText } from '../../../transcript/message';
import type { Turn } from '../../../transcript/turn';
import { t } from '../../localization';
import type { LiveMessage } from '../state/liveMessage';
import { Toolbar, type ToolbarProps } from '../common/Toolbar';
import { PromptEdits, PromptVersionController } from '../session/promptEdits';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';
import { useEffect, useRef, useLayoutEffect } from 'preact/hooks';
import { Button, IconButton } from '../../buttons';
import { PartChips } from './PartChips';
import { AskAgain } from '../session/askAgain';

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
  const actions: ToolbarProps['actions'] = [
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
      <Toolbar label={t('Prompt Actions')} actions={actions} focused={focused} />
    </span>
  );
}

/** ‹ 2/3 ›: versions of a prompt. Each has its own continuation. */
export function VersionSwitch({
  turnUid,
  versions,
}: {
  readonly turnUid: string;
  readonly versions: readonly string[];
}) {
  const chat = useChat();
  const group = useRef<HTMLSpanElement>(null);
  const place = versions.indexOf(turnUid);
  useEffect(() => {
    if (chat.part(PromptVersionController).takesFocus(turnUid))
      group.current?.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
  }, []);
  const numbers = { number: place + 1, count: versions.length };
  return (
    <span class="versions" role="group" aria-label={t('Version {number} of {count}', numbers)} ref={group}>
      <Step icon="chevron-left" label={t('Previous Version')} turnUid={versions[place - 1]} />
      <span class="versions-place" aria-hidden="true">{`${numbers.number}/${numbers.count}`}</span>
      <Step icon="chevron-right" label={t('Next Version')} turnUid={versions[place + 1]} />
    </span>
  );
}

function Step({
  icon,
  label,
  turnUid,
}: {
  readonly icon: string;
  readonly label: string;
  readonly turnUid: string | undefined;
}) {
  const chat = useChat();
  return (
    <IconButton
      icon={icon}
      label={label}
      disabled={turnUid === undefined || chat.isBusy.value}
      act={() => {
        if (turnUid !== undefined) void chat.part(PromptVersionController).show(turnUid);
      }}
    />
  );
}

/** Editor for an earlier prompt, in its place. */
export function PromptEditor({ turnUid }: { readonly turnUid: string }) {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.part(PromptEdits).open.value.get(turnUid)?.text ?? '';
  const sending = chat.part(PromptEdits).sending.value === turnUid;
  const parts = chat.part(PromptEdits).parts(turnUid);
  const cannot =
    (text.trim() === '' && parts.length === 0) || chat.part(PromptEdits).sending.value !== null || chat.isBusy.value;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
    void chat.part(PromptEdits).restore(turnUid);
  }, []);
  const resend = async (): Promise<void> => {
    if (!cannot && (await chat.part(AskAgain).again('resend', turnUid))) chat.focusComposer();
  };
  return (
    <div class="prompt-editor">
      <PartChips
        parts={parts}
        remove={(part) => chat.part(PromptEdits).removePart(turnUid, part)}
        leave={() => field.current?.focus()}
      />
      <textarea
        ref={field}
        class="field prompt-field"
        aria-label={t('Edit prompt')}
        aria-busy={sending}
        dir="auto"
        value={text}
        onInput={(event) => chat.part(PromptEdits).change(turnUid, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            chat.part(PromptEdits).giveUp(turnUid);
          } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            void resend();
          }
        }}
      />
      <div class="prompt-editor-bar">
        <span class="prompt-editor-hint">{t('The current version and its answers are kept.')}</span>
        <Button label={t('Resend')} primary disabled={cannot} act={() => void resend()} />
        <Button label={t('Cancel')} act={() => chat.part(PromptEdits).giveUp(turnUid)} />
      </div>
    </div>
  );
}
