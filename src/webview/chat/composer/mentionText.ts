import type { DraftPart, MentionPart } from '../../../protocol/transcriptTypes';

/** A mention that is being typed: an "@" at the beginning of a word, and what stands between it and the caret. */
export interface MentionAt {
  /** Where the "@" is. */
  readonly start: number;
  readonly query: string;
}

/** Characters behind an "@" that are still looked for. */
const longestQuery = 200;

/** The mention that the caret stands in; null where there is none. An "@" inside a word (an address, a decorator behind a dot) begins none, and a
 *  blank ends it. */
export function mentionAt(text: string, caret: number): MentionAt | null {
  const match = /(?:^|[\s([{"'`])@([^\s@]*)$/u.exec(text.slice(Math.max(0, caret - longestQuery - 2), caret));
  const query = match?.[1];
  if (query === undefined || query.length > longestQuery) return null;
  return { start: caret - query.length - 1, query };
}

/** The text with the mention written out in the place of what was typed, and where the caret goes. */
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

/** Whether the text says "@label" as a word of its own. */
export function isMentioned(text: string, label: string): boolean {
  return placeOf(text, label) !== -1;
}

/** The text without the sign of a mention that is one no longer. Its words stay: they are part of a sentence. */
export function withoutSign(text: string, label: string): string {
  const at = placeOf(text, label);
  return at === -1 ? text : text.slice(0, at) + text.slice(at + 1);
}

/** What goes along once `before` has become `after`: a mention leaves with its words, and is there again when they are (an undone deletion). */
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
    const behind = text.slice(at + written.length);
    if (/(?:^|[\s([{"'`])$/u.test(before) && !/^[\p{L}\p{N}_/]/u.test(behind)) return at;
  }
  return -1;
}
