import { useId, useState } from 'preact/hooks';
import { answerText } from '../../../transcript/message';
import { t } from '../../localization';
import { modelName, outcomeLabel, type FinishedTurn } from '../../turnLabels';
import { recalledLabels, costText, tokenText, usageLines } from '../../usageLabels';
import { tookTime } from '../../times';
import { answersIn, shownAnswer, type AnswerRow, type TurnBlock } from '../state/conversationRows';
import { turnMarkdown } from './turnMarkdown';
import { Toolbar, type ToolbarAction } from '../common/Toolbar';
import { AskAgain } from '../session/askAgain';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';

/** Actions for an answer after which its turn continued. Absent for one without text: there is nothing to copy, and
 *  the actions would cover the buttons of its calls. */
export function StepTools({ row }: { readonly row: AnswerRow }) {
  const chat = useChat();
  const text = answerText(row.message.parts);
  if (text.trim() === '') return null;
  const actions: readonly (ToolbarAction | false)[] = [
    row.message.row !== null && {
      icon: 'git-branch',
      label: t('Branch from Here'),
      act: () => void chat.part(SessionSwitchController).branch(row.message.uid),
    },
    { icon: 'copy', label: t('Copy Answer'), act: () => chat.copy(text) },
  ];
  return (
    <span class="on-hover step-tools">
      <Toolbar label={t('Answer Actions')} actions={actions.filter((action) => action !== false)} />
    </span>
  );
}

interface TurnFooterProps {
  readonly block: TurnBlock;
  readonly turn: FinishedTurn;
}

/** Footer below a turn, visible on hover and focus: actions for its answer, and the model, cost and duration. */
export function TurnFooter({ block, turn }: TurnFooterProps) {
  const chat = useChat();
  const busy = chat.isBusy.value;
  const answers = block.rows.flatMap(answersIn);
  const last = answers.at(-1)?.message ?? null;
  const text = answers
    .map(({ message }) => answerText(message.parts))
    .filter((part) => part !== '')
    .join('\n\n');
  // The failure notice of a turn has its own Retry.
  const offersRetry = outcomeLabel(turn, shownAnswer(block))?.actions.includes('retry') === true;
  const actions: readonly (ToolbarAction | false)[] = [
    block.isLast &&
      !offersRetry && {
        icon: 'refresh',
        label: t('Retry'),
        act: () => void chat.part(AskAgain).retry(turn.uid),
        disabled: busy,
      },
    last !== null &&
      last.row !== null && {
        icon: 'git-branch',
        label: t('Branch from Here'),
        act: () => void chat.part(SessionSwitchController).branch(last.uid),
      },
    text !== '' && { icon: 'copy', label: t('Copy Answer'), act: () => chat.copy(text) },
    answers.length > 0 && {
      icon: 'markdown',
      label: t('Copy Turn as Markdown'),
      act: () => chat.copy(turnMarkdown(block)),
    },
  ];
  const offered = actions.filter((action) => action !== false);
  return (
    <div class="turn-footer">
      {offered.length > 0 && <Toolbar label={t('Answer Actions')} actions={offered} />}
      <TurnFacts block={block} turn={turn} />
    </div>
  );
}

/** Facts on one line. A press shows more, because not everyone can hover. */
function TurnFacts({ block, turn }: TurnFooterProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const { usage } = turn;
  const took = tookTime((turn.settledAt - turn.startedAt) * 1000);
  // The line is cut at its end, so the facts that differ from turn to turn come first.
  const facts = [
    took,
    ...(usage === null ? [] : [tokenText(usage), costText(usage)]),
    modelName(turn.model),
    ...recalledLabels(block.recalled),
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
  const lines = usage === null ? [] : [turn.model, ...usageLines(usage)];
  if (lines.length === 0)
    return (
      <span class="turn-facts" title={facts}>
        {facts}
      </span>
    );
  return (
    <>
      <button
        type="button"
        class="turn-facts"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        title={[facts, ...lines].join('\n')}
        onClick={() => setOpen(!open)}
      >
        {facts}
      </button>
      {open && (
        <ul class="turn-usage" id={id}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}
