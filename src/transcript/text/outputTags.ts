import { type DocumentPlace, isCodeAt, placeAfter } from './documentPlace';

/** Tags in which models without a separate thinking channel put their thinking into the answer (hermes-agent's
 *  scrubber has the same list). */
const thinkTags = ['think', 'thinking', 'reasoning', 'thought', 'reasoning_scratchpad'] as const;
/** Fence around recalled memory in a prompt. If a model repeats it, it must not be shown as the model's own words. */
export const memoryTag = 'memory-context';

export type OutputTag =
  | { readonly kind: 'thinkOpen' | 'thinkClose'; readonly name: string; readonly length: number }
  | { readonly kind: 'memoryOpen'; readonly length: number };

const tags: ReadonlyMap<string, OutputTag> = new Map<string, OutputTag>([
  ...thinkTags.flatMap((name): readonly (readonly [string, OutputTag])[] => [
    [`<${name}>`, { kind: 'thinkOpen', name, length: name.length + 2 }],
    [`</${name}>`, { kind: 'thinkClose', name, length: name.length + 3 }],
  ]),
  [`<${memoryTag}>`, { kind: 'memoryOpen', length: memoryTag.length + 2 }],
]);

const longestTag = Math.max(...[...tags.keys()].map((tag) => tag.length));

const memoryCloser = `</${memoryTag}>`;

/** Result for the "<" at `start`: a tag, no tag, or a beginning that may become one (`partial`). Ignores case. */
export function tagAt(text: string, start: number): OutputTag | 'none' | 'partial' {
  const rest = text.slice(start, start + longestTag).toLowerCase();
  const end = rest.indexOf('>');
  if (end !== -1) return tags.get(rest.slice(0, end + 1)) ?? 'none';
  return [...tags.keys()].some((tag) => tag.startsWith(rest)) ? 'partial' : 'none';
}

/** Index of `closer` in `text` at or after `from`, ignoring case; -1 when not found. */
function findCloser(text: string, closer: string, from: number): number {
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    if (text.slice(at, at + closer.length).toLowerCase() === closer) return at;
  }
  return -1;
}

/** Index of the first `closer` that is not inside code; -1 when not found. Searches after an opener of `opener`
 *  characters. Parses the text between them as part of the document at `place`. */
export function wordEndIn(text: string, closer: string, opener: number, place: DocumentPlace): number {
  let known = place;
  let from = opener;
  for (let at = findCloser(text, closer, opener); at !== -1; at = findCloser(text, closer, at + 1)) {
    known = placeAfter(known, text.slice(from, at));
    from = at;
    if (!isCodeAt(known)) return at;
  }
  return -1;
}

/** Finds the `closer` that ends arriving thinking. Between two backticks it is ordinary text. `isUnsure`: the
 *  character after the one at `from` has not arrived yet. `before`: the character before `text`. */
export function thinkingEndIn(
  before: string,
  text: string,
  closer: string,
  ended: boolean,
): { readonly at: number; readonly isUnsure: boolean; readonly from: number } {
  for (let at = findCloser(text, closer, 0); at !== -1; at = findCloser(text, closer, at + 1)) {
    const isQuoted = (at === 0 ? before : text[at - 1]) === '`';
    const next = text[at + closer.length];
    if (isQuoted && next === undefined && !ended) return { at: -1, isUnsure: true, from: at };
    if (!isQuoted || next !== '`') return { at, isUnsure: false, from: at };
  }
  return { at: -1, isUnsure: false, from: 0 };
}

/** Memory fence at the beginning of `text`, with an opener of `opener` characters: its length including the closer,
 *  `open` when no closer has arrived, `none` when other text is on the opener's line. The closer must begin or end
 *  its line: recalled memory is fenced that way, a sentence about the tag is not. */
export function memoryBlockAt(
  text: string,
  opener: number,
  ended: boolean,
): { readonly length: number } | 'open' | 'none' {
  const next = text.slice(opener).search(/[^ \t\r]/);
  if (next !== -1 && text[opener + next] !== '\n') return 'none';
  for (let at = findCloser(text, memoryCloser, opener); at !== -1; at = findCloser(text, memoryCloser, at + 1)) {
    const end = at + memoryCloser.length;
    const beginsLine = /\n[ \t]*$/.test(text.slice(Math.max(0, text.lastIndexOf('\n', at)), at));
    const endsLine = /^[ \t\r]*\n/.test(text.slice(end)) || (ended && text.slice(end).trim() === '');
    if (beginsLine || endsLine) return { length: end };
  }
  return 'open';
}

/** Number of characters at the end of `text` that may be the beginning of `closer`. */
export function partialCloser(text: string, closer: string): number {
  const at = text.lastIndexOf('<');
  if (at === -1) return 0;
  const rest = text.slice(at).toLowerCase();
  return rest.length < closer.length && closer.startsWith(rest) ? rest.length : 0;
}
