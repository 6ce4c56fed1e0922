import { answerText } from '../../../transcript/message';
import { sentParts } from '../../../transcript/draftPart';
import type { Part } from '../../../transcript/part';
import { t } from '../../localization';
import { resultCount, stateWord, toolLabels } from '../../toolLabels';
import { outcomeLabel } from '../../turnLabels';
import { answersIn, shownAnswer, type AnswerRow, type CallRow, type TurnBlock } from '../state/conversationRows';

/** Returns a turn as one Markdown text, as the conversation shows it: prompt, thinking, answer, one line per call,
 *  and the outcome if it needs words. */
export function turnMarkdown(block: TurnBlock): string {
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
