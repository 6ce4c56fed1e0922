import type { DraftPart, MentionPart } from '../../../transcript/draftPart';

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
