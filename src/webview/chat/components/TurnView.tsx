import { Icon } from '../../Icon';
import { t } from '../../localization';
import { memo } from '../../memo';
import { clockTime, compactCount, duration, fullTime } from '../../times';
import { answerText, type Turn } from '../../../protocol/transcriptWords';
import type { LiveMessage } from '../liveMessage';
import type { AnswerRow, ReadsRow, TurnBlock } from '../conversationRows';
import { foldWords } from '../../toolWords';
import { ActivityLine } from './ActivityLine';
import { Answer } from './Answer';
import { useChat } from './ChatContext';
import { TurnOutcome } from './TurnOutcome';

interface TurnViewProps {
  readonly block: TurnBlock;
  /** False for turns far above, which are laid out only when they come into sight. */
  readonly near: boolean;
}

/** A prompt, what answers it, and how it ended. */
export const TurnView = memo(({ block, near }: TurnViewProps) => {
  const { turn, prompt, rows } = block;
  const startedAt = turn?.startedAt ?? null;
  return (
    <div class={`turn${near ? '' : ' far'}`} data-turn={turn?.uid}>
      {prompt !== null && <PromptCard message={prompt} />}
      {rows.map((row) =>
        row.kind === 'answer' ? <Answer key={row.key} row={row} startedAt={startedAt} /> : <ReadsFold key={row.key} row={row} startedAt={startedAt} />,
      )}
      {turn !== null && turn.state !== 'settled' && <ActivityLine block={block} />}
      {turn?.state === 'settled' && <TurnOutcome block={block} turn={turn} />}
      {turn?.state === 'settled' && <TurnFooter turn={turn} />}
    </div>
  );
});

const PromptCard = memo(({ message }: { readonly message: LiveMessage }) => {
  const chat = useChat();
  const now = chat.needs.timers.nowMs() / 1000;
  const at = message.row?.createdAt ?? now;
  const text = answerText(message.parts);
  return (
    <article class="prompt" aria-label={t('You, {time}', { time: clockTime(at, now) })} data-uid={message.uid} data-state="saved" tabIndex={-1}>
      <div class="prompt-head">
        <span class="prompt-who">{t('You')}</span>
        <span class="prompt-tools">
          <button type="button" class="icon-button" title={t('Copy')} aria-label={t('Copy Prompt')} onClick={() => chat.copy(text)}>
            <Icon name="copy" />
          </button>
        </span>
        <time class="prompt-time" dateTime={new Date(at * 1000).toISOString()} title={fullTime(at)}>{clockTime(at, now)}</time>
      </div>
      <div class="prompt-text" dir="auto" data-part="text">{text}</div>
    </article>
  );
});

function ReadsFold({ row, startedAt }: { readonly row: ReadsRow; readonly startedAt: number | null }) {
  const chat = useChat();
  const open = chat.openFolds.value.has(row.key);
  const calls = row.answers.flatMap((answer: AnswerRow) => answer.calls.map(({ call }) => call));
  return (
    <div class="reads">
      <button type="button" class="fold-button" aria-expanded={open} onClick={() => chat.toggleFold(row.key)}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span dir="auto">{foldWords(calls)}</span>
      </button>
      {/* Kept in the page while folded: these answers are part of the conversation and of what was shown. */}
      <div class={open ? 'reads-open' : 'reads-closed'}>
        {row.answers.map((answer) => <Answer key={answer.key} row={answer} startedAt={startedAt} />)}
      </div>
    </div>
  );
}

/** Who answered, for how much, in what time; seen on hover and focus. */
function TurnFooter({ turn }: { readonly turn: Turn & { readonly state: 'settled' } }) {
  const { usage } = turn;
  const counts = [usage?.inputTokens ?? null, usage?.outputTokens ?? null].filter((count) => count !== null);
  const tokens = counts.length === 0 ? [] : [t('{tokens} tok', { tokens: compactCount(counts.reduce((sum, count) => sum + count, 0)) })];
  const words = [turn.model, ...tokens, duration((turn.settledAt - turn.startedAt) * 1000)];
  return <p class="turn-footer">{words.join(' · ')}</p>;
}
