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

/** A prompt as it stood in the composer when it was sent. A draft that still begins with it loses it in the transaction that stores the prompt. */
export interface SentDraft {
  readonly text: string;
  readonly parts?: readonly DraftPart[];
}

/** The same while it is not known whether the prompt is stored. */
export interface DraftOnItsWay extends SentDraft {
  /** The prompt's. */
  readonly uid: string;
}

/** What a draft is stored with. */
export interface DraftSurroundings {
  /** Prompts that left the composer ahead of the text: those that are not stored are part of the draft. */
  readonly sent?: readonly DraftOnItsWay[];
  /** The draft of this key goes: the composer has another key from now on. */
  readonly from?: string;
}

/** The draft of a composer that a prompt was sent from. */
export interface PromptDraft extends SentDraft {
  /** A session id, or "new" for the empty state. */
  readonly key: string;
  /** The key in the store's `meta` of the session that the composer's view shows. A prompt of the empty state sets it with its own row: after a crash the view
   *  shows the session that the prompt began, and what was typed after it. */
  readonly shownKey?: string;
}

/** Texts that wait in one composer, oldest first. */
export function joinedDraft(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/** The draft without the text it begins with, as `joinedDraft` puts them together; null where it begins otherwise. */
export function draftBehind(draft: string, sent: string): string | null {
  if (draft === sent || sent.trim() === '') return draft === sent ? '' : draft;
  return draft.startsWith(`${sent}\n\n`) ? draft.slice(sent.length + 2) : null;
}

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
