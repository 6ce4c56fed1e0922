import type { ComponentChildren } from 'preact';
import { LinkButton } from '../../buttons';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import { memo } from '../../memo';
import { skipWhenFar } from '../../offscreenElements';
import { compactCount } from '../../times';
import { handoffTokens } from '../../../transcript/handoff';
import type { LiveMessage } from '../state/liveMessage';
import { isShownElsewhere, type AnswerRow, type ReadsRow, type TurnBlock } from '../state/conversationRows';
import { groupLabel } from '../../toolLabels';
import { Answer } from './Answer';
import { FoldButton } from '../common/marks';
import { Prompt } from './PromptCard';
import { useChat } from '../state/chat';
import { FoldState } from '../state/foldState';
import { lazyTurn } from './lazyTurn';

interface TurnViewProps {
  readonly block: TurnBlock;
  /** False for turns far above, which get layout only when they scroll into view. */
  readonly near: boolean;
}

/** A prompt, its answer and its outcome. */
export const TurnView = memo(({ block, near }: TurnViewProps) => {
  const { turn, summary, prompt, rows, versions, isLast } = block;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (near && !isLast && element.current !== null) skipWhenFar(element.current);
  }, [near, isLast]);
  if (summary !== null) return <SummaryLine message={summary} />;
  const startedAt = turn?.startedAt ?? null;
  const tail = <TurnTail block={block} />;
  return (
    <div class={`turn${near ? '' : ' far'}`} data-turn={turn?.uid} ref={element}>
      {prompt !== null && (
        <Prompt message={prompt} turn={turn} versions={versions}>
          {rows.length === 0 && tail}
        </Prompt>
      )}
      {rows.map((row, index) => {
        const end = index === rows.length - 1 && tail;
        if (row.kind === 'summary')
          return (
            <SummaryLine key={row.key} message={row.message}>
              {end}
            </SummaryLine>
          );
        if (row.kind === 'steering')
          return (
            <Prompt key={row.key} message={row.message} turn={null} versions={[]}>
              {end}
            </Prompt>
          );
        if (row.kind === 'reads') return <Reads key={row.key} row={row} startedAt={startedAt} tail={end} />;
        return (
          <Answer key={row.key} row={row} startedAt={startedAt} hidden={end === false && isShownElsewhere(row)}>
            {end === false && turn?.state === 'settled' && <LazyStepTools row={row} />}
            {end}
          </Answer>
        );
      })}
    </div>
  );
});

/** Actions of an answer after which its turn continued. */
function LazyStepTools({ row }: { readonly row: AnswerRow }) {
  const lazy = lazyTurn.value;
  return lazy === null ? null : <lazy.StepTools row={row} />;
}

function TurnTail({ block }: { readonly block: TurnBlock }) {
  const { turn } = block;
  const lazy = lazyTurn.value;
  if (turn === null) return null;
  if (lazy === null) return <div class="turn-footer" />;
  if (turn.state !== 'settled') return <lazy.TurnActivityLine block={block} />;
  return (
    <>
      {block.changes.length > 0 && <lazy.ChangedFilesBar turnUid={turn.uid} files={block.changes} />}
      <lazy.TurnOutcome block={block} turn={turn} />
      {block.isLast && <lazy.Handoffs turn={turn} />}
      <lazy.TurnFooter block={block} turn={turn} />
    </>
  );
}

/** Marks the place where a summary replaces the earlier messages for the model. */
function SummaryLine({ message, children }: { readonly message: LiveMessage; readonly children?: ComponentChildren }) {
  const chat = useChat();
  const tokens = handoffTokens(message);
  const text =
    tokens === null
      ? t('Earlier messages summarized')
      : t('Earlier messages summarized, {before} → {after}', {
          before: compactCount(tokens.before),
          after: compactCount(tokens.after),
        });
  return (
    <>
      <div class="summary-line">
        <span>{text}</span>
        <LinkButton
          label={t('Show Original')}
          act={() => chat.host.send('openTranscript', { messageUid: message.uid })}
        />
      </div>
      {children}
    </>
  );
}

interface ReadsProps {
  readonly row: ReadsRow;
  readonly startedAt: number | null;
  readonly tail: ComponentChildren;
}

/** Answers that only read, folded into one line. They stay in the page while folded: they are part of the
 *  conversation and of what was delivered. */
function Reads({ row, startedAt, tail }: ReadsProps) {
  const chat = useChat();
  const open = chat.part(FoldState).open.value.has(row.key);
  const calls = row.answers.flatMap((answer: AnswerRow) => answer.calls.map(({ call }) => call));
  return (
    <>
      {row.answers.map((answer, index) => (
        <Answer
          key={answer.key}
          row={answer}
          startedAt={startedAt}
          folded={!open}
          head={
            index === 0 && (
              <FoldButton open={open} toggle={() => chat.part(FoldState).toggle(row.key)}>
                <span dir="auto">{groupLabel(calls)}</span>
              </FoldButton>
            )
          }
        >
          {index === row.answers.length - 1 && tail}
        </Answer>
      ))}
    </>
  );
}
