import type { Message } from '../../../transcript/message';
import type { ToolResultPart } from '../../../transcript/part';
import { beginningOf, endOf } from '../../../tools/terminal/plainText';

/** Maximum characters of a transcript that is handed to an agent. The beginning and the end are kept. */
const longestTranscript = 120_000;
const longestResult = 1500;

/** The rows as text for an agent that has not seen them. Without thinking. */
export function transcriptText(rows: readonly Message[]): string {
  const text = rows
    .flatMap((row): string[] => {
      if (row.visibility.kind === 'hidden' || row.visibility.kind === 'closing') return [];
      if (row.role === 'user') return [`User: ${partsText(row)}`];
      if (row.role === 'tool') return [resultLine(row.parts[0])];
      const said = partsText(row);
      const calls = row.parts.flatMap((part) =>
        part.kind === 'toolCall' ? [`[${part.name} ${beginningOf(part.arguments, longestResult)}]`] : [],
      );
      return [...(said === '' ? [] : [`Assistant: ${said}`]), ...calls];
    })
    .join('\n\n');
  if (text.length <= longestTranscript) return text;
  const half = longestTranscript / 2;
  const leftOut = `[… ${text.length - longestTranscript} characters left out …]`;
  return `${beginningOf(text, half)}\n\n${leftOut}\n\n${endOf(text, half)}`;
}

function partsText(row: Message): string {
  return row.parts
    .flatMap((part) =>
      part.kind === 'text' ? [part.text] : part.kind === 'attachment' ? [`[${part.label}]\n${part.text}`] : [],
    )
    .join('');
}

function resultLine({ name, outcome, text }: ToolResultPart): string {
  return `[${name}: ${outcome}] ${beginningOf(text, longestResult)}`;
}

/** The text that goes in front of a prompt. */
export function handoffText(transcript: string): string {
  return (
    '<earlier_conversation>\nThe user continues a conversation that you have not seen. This is its transcript. Treat ' +
    `it as what was said before; answer only the message after it.\n\n${transcript}\n</earlier_conversation>`
  );
}

/** The text that goes in front of a prompt after a turn that was cut off: agents do not store an answer that runs. */
export function interruptionText(prompt: string, answer: string): string {
  return (
    '<interrupted>\nThe turn before this one was cut off. The user had asked:\n' +
    `${beginningOf(prompt, 4000)}\n\n` +
    (answer.trim() === ''
      ? 'Nothing of an answer had been shown.'
      : `This part of your answer had been shown to them, and they have it:\n${endOf(answer, 20_000)}`) +
    '\n</interrupted>'
  );
}

/** Result of a comparison of a replay with what is stored of the last turn. */
export type ReplayFinding =
  /** The agent has what is stored, or less. */
  | { readonly kind: 'covered' }
  /** The agent has text that never arrived here. */
  | { readonly kind: 'more'; readonly text: string }
  | { readonly kind: 'differs' };

/** Compares the answer that an agent replays to the last prompt with the stored one. Blanks do not count: agents lose
 *  some. */
export function compareReplay(stored: string, replayed: string): ReplayFinding {
  const [ours, theirs] = [stored, replayed].map((text) => text.replace(/\s+/g, '')) as [string, string];
  if (ours.startsWith(theirs)) return { kind: 'covered' };
  if (!theirs.startsWith(ours)) return { kind: 'differs' };
  // The place in the replayed text after as many characters that are no blanks.
  let [count, at] = [0, 0];
  for (; at < replayed.length && count < ours.length; at++) if (!/\s/.test(replayed.charAt(at))) count++;
  return { kind: 'more', text: replayed.slice(at) };
}
