import { isContinuation } from './continuation';
import type { MentionPart } from './draftPart';
import { answerText, type Message } from './message';
import type { Part } from './part';

/** Sources that can be read again. Not included: a selection, terminal output, pasted content, and files outside the
 *  open folders. */
const readAgain = /^(?:file|folder|symbol|problems|git|session|resource)(?::|$)/;

/** Mentions that attach a prompt's attachments again, with their present content. Leaves out sources that cannot be
 *  read again. */
export function mentionsAgain(parts: readonly Part[]): readonly MentionPart[] {
  return parts.flatMap((part) =>
    part.kind === 'attachment' && readAgain.test(part.source)
      ? [{ kind: 'mention' as const, source: part.source, label: part.label }]
      : [],
  );
}

/** True when the user wrote a row and may want to write it again. */
export function isWritten(row: Pick<Message, 'role' | 'parts' | 'visibility'>): boolean {
  return (
    row.role === 'user' &&
    row.visibility.kind === 'shown' &&
    !isContinuation(row) &&
    answerText(row.parts).trim() !== ''
  );
}
