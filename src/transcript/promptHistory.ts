import { isContinuation } from './continuation';
import type { MentionPart } from './draftPart';
import { answerText, type Message } from './message';
import type { Part } from './part';

/** What can be read a second time: a selection, terminal output, what was pasted and what lay outside the open folders cannot. */
const readAgain = /^(?:file|folder|symbol|problems|git|session)(?::|$)/;

/** Mentions that bring along again what went along with a prompt, as it is by then. What cannot be read again is left out. */
export function mentionsAgain(parts: readonly Part[]): readonly MentionPart[] {
  return parts.flatMap((part) =>
    part.kind === 'attachment' && readAgain.test(part.source)
      ? [{ kind: 'mention' as const, source: part.source, label: part.label }]
      : [],
  );
}

/** Whether a row is something that a person wrote and may want to write again. */
export function isWritten(row: Pick<Message, 'role' | 'parts' | 'visibility'>): boolean {
  return (
    row.role === 'user' &&
    row.visibility.kind === 'shown' &&
    !isContinuation(row) &&
    answerText(row.parts).trim() !== ''
  );
}
