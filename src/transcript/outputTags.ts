/** Tags in which models without a channel of their own put their thinking into the answer (hermes-agent's scrubber knows the same). */
const thinkTags = ['think', 'thinking', 'reasoning', 'thought', 'reasoning_scratchpad'] as const;
/** The fence around recalled memory in a prompt. A model that repeats it must not have it shown as its own words. */
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

export const memoryCloser = `</${memoryTag}>`;

/** What stands at `start`, a "<": a tag, no tag, or a beginning that may become one (`partial`). Case does not matter. */
export function tagAt(text: string, start: number): OutputTag | 'none' | 'partial' {
  const rest = text.slice(start, start + longestTag).toLowerCase();
  const end = rest.indexOf('>');
  if (end !== -1) return tags.get(rest.slice(0, end + 1)) ?? 'none';
  return [...tags.keys()].some((tag) => tag.startsWith(rest)) ? 'partial' : 'none';
}

/** Where `closer` stands in `text` at or behind `from`, whatever its case; -1 when nowhere. */
export function findCloser(text: string, closer: string, from = 0): number {
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    if (text.slice(at, at + closer.length).toLowerCase() === closer) return at;
  }
  return -1;
}

/** How many characters at the end of `text` may be the beginning of `closer`. */
export function partialCloser(text: string, closer: string): number {
  const at = text.lastIndexOf('<');
  if (at === -1) return 0;
  const rest = text.slice(at).toLowerCase();
  return rest.length < closer.length && closer.startsWith(rest) ? rest.length : 0;
}
