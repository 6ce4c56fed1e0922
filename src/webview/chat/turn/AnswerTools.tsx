import { useId, useState } from 'preact/hooks';
import { answerText } from '../../../transcript/message';
import { t } from '../../localization';
import {
  modelName,
  outcomeLabel,
  type FinishedTurn,
  recalledLabels,
  costText,
  tokenText,
  usageLines,
} from '../../turnLabels';
import { tookTime } from '../../times';
import { answersIn, shownAnswer, type AnswerRow, type TurnBlock, type CallRow } from '../state/conversationRows';
import { Toolbar, type ToolbarProps } from '../common/Toolbar';
import { AskAgain } from '../session/askAgain';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';
import { sentParts } from '../../../transcript/draftPart';
import type { Part } from '../../../transcript/part';
import { resultCount, stateWord, toolLabels } from '../../toolLabels';

/** Actions for an answer after which its turn continued. Absent for one without text: there is nothing to copy, and
 *  the actions would cover the buttons of its calls. */
export function StepTools({ row }: { readonly row: AnswerRow }) {
  const chat = useChat();
  const text = answerText(row.message.parts);
  if (text.trim() === '') return null;
  const actions: ToolbarProps['actions'] = [
    row.message.row !== null && {
      icon: 'git-branch',
      label: t('Branch from Here'),
      act: () => void chat.part(SessionSwitchController).branch(row.message.uid),
    },
    { icon: 'copy', label: t('Copy Answer'), act: () => chat.copy(text) },
  ];
  return (
    <span class="on-hover step-tools">
      <Toolbar label={t('Answer Actions')} actions={actions} />
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
  const actions: ToolbarProps['actions'] = [
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
  return (
    <div class="turn-footer">
      {actions.some((action) => action !== false) && <Toolbar label={t('Answer Actions')} actions={actions} />}
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

/** Returns a turn as one Markdown text, as the conversation shows it: prompt, thinking, answer, one line per call,
 *  and the outcome if it needs words. */
function turnMarkdown(block: TurnBlock): string {
  const { turn, prompt, rows } = block;
  const outcome = turn?.state === 'settled' ? outcomeLabel(turn, shownAnswer(block)) : null;
  const answers = rows.flatMap((row) =>
    row.kind === 'steering' ? [`**${t('You')}**`, answerText(row.message.parts)] : answersIn(row).map(answerMarkdown),
  );
  return [
    ...(prompt === null ? [] : [`**${t('You')}**`, promptMarkdown(prompt.parts)]),
    `**${turn === null ? 'Hermes' : `Hermes (${turn.model})`}**`,
    ...answers,
    ...(outcome === null ? [] : [`_${outcome.sentence}_`]),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function promptMarkdown(parts: readonly Part[]): string {
  const along = sentParts(parts)
    .map((part) => `- ${part.kind === 'image' ? (part.name ?? t('Image')) : part.label}`)
    .join('\n');
  return [along, answerText(parts)].filter((text) => text !== '').join('\n\n');
}

function answerMarkdown({ message, calls }: AnswerRow): string {
  const rows = new Map<Part, CallRow>(calls.map((row) => [row.call, row]));
  const blocks = message.parts.flatMap((part): readonly { readonly isCall: boolean; readonly text: string }[] => {
    const row = rows.get(part);
    if (row !== undefined) return [{ isCall: true, text: callMarkdown(row) }];
    if (part.kind === 'thinking')
      return part.text.trim() === '' ? [] : [{ isCall: false, text: quoted(part.text.trim()) }];
    return part.kind === 'text' && part.text.trim() !== '' ? [{ isCall: false, text: part.text.trim() }] : [];
  });
  return blocks.reduce(
    (text, block, index) =>
      `${text}${index === 0 ? '' : block.isCall && blocks[index - 1]?.isCall === true ? '\n' : '\n\n'}${block.text}`,
    '',
  );
}

function callMarkdown({ call, result, state }: CallRow): string {
  const { verb, target } = toolLabels(call, state, result);
  const facts = [
    ...(state === 'done' ? [] : [stateWord(state)]),
    ...[resultCount(result)].filter((count) => count !== ''),
  ];
  return `- ${verb}${target === '' ? '' : ` ${code(target)}`}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** Formats text as code, with any backticks in it. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
