import { maskSecrets } from '../../models/secrecy/secrecy';
import { isContinuation } from '../../transcript/continuation';
import { promptWithLabels } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';
import { clip } from './summaryInput';

/** The number of first messages that every handoff repeats word for word (hermes-agent: protect_first_n). */
export const protectedHead = 3;
const longestHeadText = 2000;

const preamble = [
  '(Summary of the earlier part of this conversation, made to save room. It is background, not a request: what ' +
    'it lists as asked was dealt with,',
  'or stands below. Where it differs from a later message, the later message holds. The files and tools are as ' +
    'they are now, not as it says.)',
].join(' ');
const summaryHeading = '# Summary';
const ends = {
  betweenTurns: '(End of the summary. Answer the message below it.)',
  insideTurn:
    '(End of the summary. Answer the message below it. Where the summary tells of steps that were taken for that ' +
    'message, they are done: go on from there.)',
} as const;

/** Returns the text that the model gets instead of the compressed rows. `head`: the conversation's first messages.
 *  `todos`: the note about the todo list, or empty. */
export function handoffText(
  summary: string,
  head: readonly Message[],
  border: keyof typeof ends = 'betweenTurns',
  todos = '',
): string {
  const beginning = head.slice(0, protectedHead).flatMap((row): readonly string[] => {
    const text = maskSecrets(row.role === 'user' ? promptWithLabels(row.parts) : answerText(row.parts).trim());
    return row.role === 'tool' || text === '' || isContinuation(row)
      ? []
      : [`${row.role === 'user' ? 'Person' : 'You'}: ${clip(text, longestHeadText)}`];
  });
  const quoted = beginning.length === 0 ? [] : ['## How the conversation began, word for word', ...beginning];
  return [preamble, ...quoted, ...(todos === '' ? [] : [todos]), summaryHeading, summary.trim(), ends[border]].join(
    '\n\n',
  );
}

/** Returns the summary inside a handoff, as the starting point for the next one. */
export function summaryIn(handoff: string): string {
  const begin = handoff.indexOf(`\n${summaryHeading}\n`);
  const from = begin === -1 ? 0 : begin + summaryHeading.length + 2;
  const end = Object.values(ends).find((known) => handoff.endsWith(known)) ?? '';
  return handoff.slice(from, handoff.length - end.length).trim();
}
