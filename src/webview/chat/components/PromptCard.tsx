import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { answerText, isContinuation, sentParts, type Turn } from '../../../protocol/transcriptWords';
import { t } from '../../localization';
import { memo } from '../../memo';
import { clockTime, fullTime } from '../../times';
import type { LiveMessage } from '../liveMessage';
import { useChat } from './ChatContext';
import { laterParts } from './laterParts';
import { PartChips } from './PartChips';
import { Toolbar, type ToolbarAction } from './Toolbar';
import { VersionSwitch } from './VersionSwitch';

interface PromptProps {
  readonly message: LiveMessage;
  /** The turn that it heads; null for what the person told a turn that was running, and for a prompt without one. */
  readonly turn: Turn | null;
  readonly versions: readonly string[];
  readonly children: ComponentChildren;
}

export function Prompt({ message, turn, versions, children }: PromptProps) {
  const chat = useChat();
  const now = chat.needs.timers.nowMs() / 1000;
  const at = message.row?.createdAt ?? now;
  if (isContinuation(message)) return <Continued message={message} turn={turn} versions={versions} at={at}>{children}</Continued>;
  return (
    <article class="message" aria-label={t('You, {time}', { time: clockTime(at, now) })} data-uid={message.uid} data-state="saved" tabIndex={-1}>
      <PromptCard message={message} turn={turn} versions={versions} at={at} />
      {children}
    </article>
  );
}

/** An answer goes on: nobody wrote what stands here. */
function Continued({ message, turn, versions, at, children }: PromptProps & { readonly at: number }) {
  const chat = useChat();
  return (
    <article class="message" aria-label={t('Continued, {time}', { time: clockTime(at, chat.needs.timers.nowMs() / 1000) })} data-uid={message.uid} data-state="saved" tabIndex={-1}>
      <div class="summary-line" title={fullTime(at)}>
        <span>{t('Continued')}</span>
        {turn !== null && versions.length > 1 && <VersionSwitch turnUid={turn.uid} versions={versions} />}
      </div>
      {children}
    </article>
  );
}

interface CardProps extends Omit<PromptProps, 'children'> {
  readonly at: number;
}

const PromptCard = memo(({ message, turn, versions, at }: CardProps) => {
  const chat = useChat();
  const editing = useComputed(() => turn !== null && chat.edits.texts.value.has(turn.uid)).value;
  const wasEdited = useRef(false);
  const later = laterParts.value;
  const text = answerText(message.parts);
  const returns = wasEdited.current && !editing;
  wasEdited.current = editing;
  return (
    <div class={`prompt${editing ? ' editing' : ''}`}>
      <div class="prompt-head">
        <span class="prompt-who">{t('You')}</span>
        {turn !== null && versions.length > 1 && <VersionSwitch turnUid={turn.uid} versions={versions} />}
        <span class="prompt-space" />
        {!editing && <PromptTools message={message} turn={turn} focused={returns} />}
        <time class="prompt-time" dateTime={new Date(at * 1000).toISOString()} title={fullTime(at)}>{clockTime(at, chat.needs.timers.nowMs() / 1000)}</time>
      </div>
      {editing && turn !== null && later !== null ? <later.PromptEditor turnUid={turn.uid} /> : (
        <>
          <PartChips parts={sentParts(message.parts)} />
          {text !== '' && <div class="prompt-text" dir="auto" data-part="text">{text}</div>}
        </>
      )}
    </div>
  );
});

/** What can be done with a prompt. One that is not stored yet can only be copied. */
function PromptTools({ message, turn, focused }: Pick<PromptProps, 'message' | 'turn'> & { readonly focused: boolean }) {
  const chat = useChat();
  const busy = chat.isBusy.value;
  const text = answerText(message.parts);
  const heads = message.row !== null && turn !== null;
  const isOpen = turn !== null && turn.state !== 'settled';
  const actions: readonly (ToolbarAction | false)[] = [
    heads && { icon: 'edit', label: t('Edit & Resend'), act: () => chat.edits.change(turn.uid, text), disabled: busy },
    message.row !== null && { icon: 'git-branch', label: t('Branch from Here'), act: () => void chat.switches.branch(message.uid), disabled: isOpen },
    heads && { icon: 'discard', label: t('Rewind to Here…'), act: () => void chat.switches.offerRewind(message.uid), disabled: busy },
    { icon: 'copy', label: t('Copy Prompt'), act: () => chat.copy(text) },
  ];
  return <span class="on-hover"><Toolbar label={t('Prompt Actions')} actions={actions.filter((action) => action !== false)} focused={focused} /></span>;
}
