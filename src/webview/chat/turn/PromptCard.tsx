import { useComputed } from '@preact/signals';
import { LinkButton } from '../../buttons';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answerText } from '../../../transcript/message';
import { isContinuation } from '../../../transcript/continuation';
import { sentParts } from '../../../transcript/draftPart';
import type { Turn } from '../../../transcript/turn';
import { t } from '../../localization';
import { memo } from '../../memo';
import { clockTime, fullTime } from '../../times';
import { promptFoldKey } from '../state/foldState';
import type { LiveMessage } from '../state/liveMessage';
import { PartChips } from './PartChips';
import { PromptEdits } from '../session/promptEdits';
import { useChat } from '../state/chat';
import { FoldState } from '../state/foldState';
import { lazyTurn } from './lazyTurn';

interface PromptProps {
  readonly message: LiveMessage;
  /** The turn it starts; null for a steering message in a running turn, and for a prompt without a turn. */
  readonly turn: Turn | null;
  readonly versions: readonly string[];
  readonly children: ComponentChildren;
}

const PromptCard = memo(({ message, turn, versions, at }: CardProps) => {
  const chat = useChat();
  const editing = useComputed(() => turn !== null && chat.part(PromptEdits).open.value.has(turn.uid)).value;
  const wasEdited = useRef(false);
  const lazy = lazyTurn.value;
  const text = answerText(message.parts);
  const returns = wasEdited.current && !editing;
  wasEdited.current = editing;
  return (
    <div class={`prompt${editing ? ' editing' : ''}`}>
      <div class="prompt-head">
        <span class="prompt-who">{t('You')}</span>
        {turn !== null && versions.length > 1 && lazy !== null && (
          <lazy.VersionSwitch turnUid={turn.uid} versions={versions} />
        )}
        <span class="prompt-space" />
        {!editing && lazy !== null && <lazy.PromptTools message={message} turn={turn} focused={returns} />}
        <time class="prompt-time" dateTime={new Date(at * 1000).toISOString()} title={fullTime(at)}>
          {clockTime(at, chat.timers.nowMs() / 1000)}
        </time>
      </div>
      {editing && turn !== null && lazy !== null ? (
        <lazy.PromptEditor turnUid={turn.uid} />
      ) : (
        <>
          <PartChips parts={sentParts(message.parts)} />
          {text !== '' && <PromptText id={promptFoldKey(message.uid)} text={text} />}
        </>
      )}
    </div>
  );
});

/** A prompt, or the line that stands in for that of a continued answer: nobody wrote one. */
export function Prompt({ message, turn, versions, children }: PromptProps) {
  const chat = useChat();
  const lazy = lazyTurn.value;
  const now = chat.timers.nowMs() / 1000;
  const at = message.row?.createdAt ?? now;
  const time = clockTime(at, now);
  const isContinued = isContinuation(message);
  return (
    <article
      class="message"
      aria-label={isContinued ? t('Continued, {time}', { time }) : t('You, {time}', { time })}
      data-uid={message.uid}
      data-state="saved"
      tabIndex={-1}
    >
      {isContinued ? (
        <div class="summary-line" title={fullTime(at)}>
          <span>{t('Continued')}</span>
          {turn !== null && versions.length > 1 && lazy !== null && (
            <lazy.VersionSwitch turnUid={turn.uid} versions={versions} />
          )}
        </div>
      ) : (
        <PromptCard message={message} turn={turn} versions={versions} at={at} />
      )}
      {children}
    </article>
  );
}

interface CardProps extends Omit<PromptProps, 'children'> {
  readonly at: number;
}

/** Number of lines after which a prompt is cut off until it is opened. */
const foldedLines = 12;

/** A long prompt shows its first lines. The rest stays in the page for find in page and for screen readers. */
function PromptText({ id, text }: { readonly id: string; readonly text: string }) {
  const chat = useChat();
  const frame = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  const open = chat.part(FoldState).open.value.has(id);
  const lines = text.split('\n', foldedLines + 1).length;
  // The width decides if a few lines wrap into many; measure only texts that could.
  const mayOverflow = lines > foldedLines || text.length > 300;
  useEffect(() => {
    if (frame.current === null || !mayOverflow || open) return undefined;
    const watched = frame.current;
    const watching = new ResizeObserver(() => setOverflows(watched.scrollHeight > watched.clientHeight + 1));
    watching.observe(watched);
    return () => watching.disconnect();
  }, [mayOverflow, open]);
  const folds = lines > foldedLines || overflows || (open && mayOverflow);
  return (
    <>
      <div
        class={`prompt-text${mayOverflow && !open ? ' cut' : ''}${folds && !open ? ' folds' : ''}`}
        dir="auto"
        data-part="text"
        ref={frame}
      >
        {text}
      </div>
      {folds && (
        <LinkButton
          label={open ? t('Show Less') : t('Show More')}
          class="prompt-more"
          aria-expanded={open}
          act={() => chat.part(FoldState).toggle(id)}
        />
      )}
    </>
  );
}
