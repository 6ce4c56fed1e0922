import type { DraftPart, MentionPart } from '../../../transcript/draftPart';

/** Actions of Enter and related keys in the composer. */
type ComposerKey = 'submit' | 'older' | 'newer' | 'escape' | 'none';

type KeyPress = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey' | 'isComposing' | 'keyCode'>;

/** State of the composer when a key is pressed. */
interface Written {
  readonly text: string;
  readonly selectionStart: number;
  readonly selectionEnd: number;
  /** True when the text is an earlier prompt brought back unchanged. */
  readonly isEarlier: boolean;
}

/** Up and Down start browsing earlier prompts from an empty field. Within a prompt of several lines they move the
 *  caret until it reaches the first or last line. */
export function composerKey(press: KeyPress, { text, selectionStart, selectionEnd, isEarlier }: Written): ComposerKey {
  // While an input method composes, Enter chooses a candidate. Some report that only by the code 229.
  if (press.isComposing || press.keyCode === 229) return 'none';
  const modified = press.shiftKey || press.altKey || press.ctrlKey || press.metaKey;
  if (press.key === 'Enter' && !modified) return 'submit';
  const isPlainCaret = !modified && selectionStart === selectionEnd;
  if (
    press.key === 'ArrowUp' &&
    isPlainCaret &&
    (text === '' || (isEarlier && !text.slice(0, selectionStart).includes('\n')))
  )
    return 'older';
  if (press.key === 'ArrowDown' && isPlainCaret && isEarlier && !text.slice(selectionEnd).includes('\n'))
    return 'newer';
  if (press.key === 'Escape' && !modified) return 'escape';
  return 'none';
}

/** Returns the text that stays in the composer once `submitted` is on disk: text typed after it meanwhile, or put
 *  before it. */
export function afterSubmission(current: string, submitted: string): string {
  if (current === submitted) return '';
  if (current.startsWith(submitted)) return current.slice(submitted.length).trimStart();
  return current.endsWith(`\n\n${submitted}`) ? current.slice(0, -submitted.length).trimEnd() : current;
}

/** True when the composer still contains the text it had when Enter was pressed. */
export function stillHolds(current: string, typed: string): boolean {
  return afterSubmission(current, typed) !== current || typed === '';
}

/** Inserts a text into the composer without losing what is already there. */
export function withInsertion(current: string, inserted: string): string {
  return current.trim() === '' ? inserted : `${current.trimEnd()}\n${inserted}`;
}

/** Mention being typed: an "@" at the beginning of a word, and the text between it and the caret. */
export interface MentionAt {
  /** Position of the "@". */
  readonly start: number;
  readonly query: string;
}

/** Maximum number of characters after an "@" that still start a search. */
const longestQuery = 200;

/** Returns the mention at the caret; null when there is none. An "@" inside a word (an email address, a decorator
 *  after a dot) starts none, and a blank ends it. */
export function mentionAt(text: string, caret: number): MentionAt | null {
  const match = /(?:^|[\s([{"'`])@([^\s@]*)$/u.exec(text.slice(Math.max(0, caret - longestQuery - 2), caret));
  const query = match?.[1];
  if (query === undefined || query.length > longestQuery) return null;
  return { start: caret - query.length - 1, query };
}

/** Returns the text with the full mention in place of the typed one, and the new caret position. */
export function withMention(
  text: string,
  { start, query }: MentionAt,
  label: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(start + 1 + query.length);
  const written = `@${label}`;
  const blank = /^\s/u.test(rest) ? '' : ' ';
  return { text: `${text.slice(0, start)}${written}${blank}${rest}`, caret: start + written.length + 1 };
}

/** True when the text contains "@label" as a separate word. */
export function isMentioned(text: string, label: string): boolean {
  return placeOf(text, label) !== -1;
}

/** Removes the "@" of a mention that is no longer one. Its words stay: they are part of a sentence. */
export function withoutSign(text: string, label: string): string {
  const at = placeOf(text, label);
  return at === -1 ? text : text.slice(0, at) + text.slice(at + 1);
}

/** Returns the parts after `before` became `after`: a mention is removed with its words, and restored with them (an
 *  undone deletion). */
export function followText(
  before: string,
  after: string,
  parts: readonly DraftPart[],
  gone: readonly MentionPart[],
): { readonly parts: readonly DraftPart[]; readonly gone: readonly MentionPart[] } {
  const leaving = parts.filter(
    (part): part is MentionPart =>
      part.kind === 'mention' && isMentioned(before, part.label) && !isMentioned(after, part.label),
  );
  const returning = gone.filter(({ label }) => isMentioned(after, label));
  if (leaving.length === 0 && returning.length === 0) return { parts, gone };
  const kept = parts.filter((part) => part.kind !== 'mention' || !leaving.includes(part));
  return {
    parts: [...kept, ...returning],
    gone: [...gone.filter((mention) => !returning.includes(mention)), ...leaving],
  };
}

function placeOf(text: string, label: string): number {
  const written = `@${label}`;
  for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + written.length);
    if (/(?:^|[\s([{"'`])$/u.test(before) && !/^[\p{L}\p{N}_/]/u.test(after)) return at;
  }
  return -1;
}
