import { answerText } from './message';
import type { AttachmentPart, ImagePart, Part, UserPart } from './part';

/** What goes along with a prompt's text. It is as it was when the prompt was sent. */
export type SentPart = AttachmentPart | ImagePart;

/** Something that a prompt will be sent with: named, and not read yet. The host reads it when the prompt is sent. */
export interface MentionPart {
  readonly kind: 'mention';
  /** What it names: "file:src/upload.ts", "file:src/upload.ts:10-24", "folder:src", "symbol:src/upload.ts:10-24#retry", "problems",
   *  "problems:src/upload.ts", "selection", "terminal", "git:status", "git:diff", "git:<commit>", "session:<id>". */
  readonly source: string;
  /** What it is called in the composer: "src/upload.ts". */
  readonly label: string;
}

/** What stands beside the text of a prompt that is not sent yet. */
export type DraftPart = MentionPart | SentPart;

/** The parts of a prompt's row: its text first, then what goes along. */
export function promptParts(text: string, along: readonly SentPart[] = []): readonly UserPart[] {
  const written = text === '' && along.length > 0 ? [] : [{ kind: 'text' as const, text: text.toWellFormed() }];
  return [
    ...written,
    ...along.map((part) =>
      part.kind === 'image' ? part : { ...part, label: part.label.toWellFormed(), text: part.text.toWellFormed() },
    ),
  ];
}

/** What goes along with a prompt. */
export function sentParts(parts: readonly Part[]): readonly SentPart[] {
  return parts.filter((part) => part.kind === 'attachment' || part.kind === 'image');
}

/** What the things are called that go along with a prompt, in order. */
export function partLabels(parts: readonly Part[]): readonly string[] {
  return sentParts(parts).flatMap((part) =>
    part.kind === 'attachment' ? [part.label] : part.name === undefined ? [] : [part.name],
  );
}

/** A prompt in words, for lists and titles: what the person wrote or, where that is nothing, what went along. */
export function promptWords(parts: readonly Part[]): string {
  const text = answerText(parts);
  return text.trim() === '' ? partLabels(parts).join(', ') : text;
}

/** A prompt in words, for a summary: what the person wrote, and what went along by name. */
export function promptWithLabels(parts: readonly Part[]): string {
  const labels = partLabels(parts);
  return [answerText(parts).trim(), ...(labels.length === 0 ? [] : [`(sent along: ${labels.join(', ')})`])]
    .filter((text) => text !== '')
    .join('\n');
}

/** Whether there is something to send. */
export function isSendable(text: string, parts: readonly DraftPart[] | undefined): boolean {
  return text.trim() !== '' || (parts !== undefined && parts.length > 0);
}
