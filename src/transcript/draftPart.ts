import { answerText } from './message';
import type { AttachmentPart, ImagePart, Part, UserPart } from './part';

/** Attachment of a prompt, with its content at the time the prompt was sent. */
export type SentPart = AttachmentPart | ImagePart;

/** Attachment of a draft that is named but not read yet. The host reads it when the prompt is sent. */
export interface MentionPart {
  readonly kind: 'mention';
  /** Reference: "file:src/upload.ts", "file:src/upload.ts:10-24", "folder:src", "symbol:src/upload.ts:10-24#retry",
   *  "problems", "problems:src/upload.ts", "selection", "terminal", "git:status", "git:diff", "git:<commit>",
   *  "session:<id>", "resource:<server>:<address>". */
  readonly source: string;
  /** Name in the composer: "src/upload.ts". */
  readonly label: string;
}

/** Part of an unsent prompt besides its text. */
export type DraftPart = MentionPart | SentPart;

/** Composer content at the time the prompt was sent. If a draft still begins with it, the transaction that stores
 *  the prompt removes it from the draft. */
interface SentDraft {
  readonly text: string;
  readonly parts?: readonly DraftPart[];
}

/** Sent draft whose prompt is not confirmed as stored yet. */
export interface DraftOnItsWay extends SentDraft {
  /** Uid of the prompt. */
  readonly uid: string;
}

/** Data that is stored together with a draft. */
export interface DraftSurroundings {
  /** Prompts that left the composer before the text. Those that are not stored are still part of the draft. */
  readonly sent?: readonly DraftOnItsWay[];
  /** Key whose draft is deleted: the composer has another key from now on. */
  readonly from?: string;
}

/** Draft of the composer that a prompt was sent from. */
export interface PromptDraft extends SentDraft {
  /** Session id, or "new" for the empty state. */
  readonly key: string;
  /** Key in the store's `meta` for the session that the composer's view shows. A prompt of the empty state sets it
   *  together with its own row. So after a crash the view shows the session that the prompt began, and the text
   *  typed after it. */
  readonly shownKey?: string;
}

/** Joins texts that wait in one composer, oldest first. */
export function joinedDraft(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/** Removes `sent` from the beginning of the draft, using the separator of `joinedDraft`. Null when the draft begins
 *  differently. */
export function draftAfter(draft: string, sent: string): string | null {
  if (draft === sent || sent.trim() === '') return draft === sent ? '' : draft;
  return draft.startsWith(`${sent}\n\n`) ? draft.slice(sent.length + 2) : null;
}

/** Parts of a prompt's row: its text first, then its attachments. */
export function promptParts(text: string, along: readonly SentPart[] = []): readonly UserPart[] {
  const written = text === '' && along.length > 0 ? [] : [{ kind: 'text' as const, text: text.toWellFormed() }];
  return [
    ...written,
    ...along.map((part) =>
      part.kind === 'image' ? part : { ...part, label: part.label.toWellFormed(), text: part.text.toWellFormed() },
    ),
  ];
}

/** Attachments of a prompt. */
export function sentParts(parts: readonly Part[]): readonly SentPart[] {
  return parts.filter((part) => part.kind === 'attachment' || part.kind === 'image');
}

/** Labels of a prompt's attachments, in order. */
export function partLabels(parts: readonly Part[]): readonly string[] {
  return sentParts(parts).flatMap((part) =>
    part.kind === 'attachment' ? [part.label] : part.name === undefined ? [] : [part.name],
  );
}

/** Prompt as text, for lists and titles: the user's text, or the attachment labels when there is none. */
export function promptText(parts: readonly Part[]): string {
  const text = answerText(parts);
  return text.trim() === '' ? partLabels(parts).join(', ') : text;
}

/** Prompt as text, for a summary: the user's text and the attachment labels. */
export function promptWithLabels(parts: readonly Part[]): string {
  const labels = partLabels(parts);
  return [answerText(parts).trim(), ...(labels.length === 0 ? [] : [`(sent along: ${labels.join(', ')})`])]
    .filter((text) => text !== '')
    .join('\n');
}

/** True when there is something to send. */
export function isSendable(text: string, parts: readonly DraftPart[] | undefined): boolean {
  return text.trim() !== '' || (parts !== undefined && parts.length > 0);
}
