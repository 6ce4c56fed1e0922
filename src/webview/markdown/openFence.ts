import type { Token } from 'marked';
import { looksHostile } from './renderer';

/** Code whose closing fence has not come yet, at the end of a text: whatever is added belongs to it until a line closes it. */
export interface OpenFence {
  /** The text up to here, with the code so far. */
  readonly text: string;
  /** Place in the text at which the code begins. */
  readonly from: number;
  /** A line that would close it. */
  readonly closing: RegExp;
}

/** Characters of code above which it is parsed like anything else, and judged by its length. */
const longest = 100_000;

/** The open fence that `token`, which begins at `at` and is the last of `text`, is; null where it is anything else. Fences that are indented are
 *  left to the parser, which takes the indentation from each line. */
export function openFence(text: string, token: Token, at: number): OpenFence | null {
  const opening = token.type === 'code' ? /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw) : null;
  if (opening === null || opening[1] === undefined || at + token.raw.length !== text.length) return null;
  const fence = {
    text,
    from: at + opening[0].length,
    closing: new RegExp(`^ {0,3}${opening[1]}${opening[1].slice(0, 1)}* *$`, 'm'),
  };
  return mayClose(fence, text, fence.from) ? null : fence;
}

/** The same fence in the text as it is now; null where it may be closed, or is not certain to be the same code. */
export function grown(fence: OpenFence, text: string): OpenFence | null {
  const isCertain =
    text.length - fence.from <= longest && text.startsWith(fence.text) && !text.includes('\0', fence.text.length);
  return isCertain && !mayClose(fence, text, fence.text.length) ? { ...fence, text } : null;
}

/** What is in it, as the parser says it: without the end of its last line, unless empty lines follow. */
export function codeIn({ text, from }: OpenFence): string {
  const endsLine = text.length > from + 1 && text.endsWith('\n') && !text.endsWith('\n\n');
  return endsLine ? text.slice(from, -1) : text.slice(from);
}

function mayClose({ closing, from }: Pick<OpenFence, 'closing' | 'from'>, text: string, added: number): boolean {
  const line = text.lastIndexOf('\n', added - 1) + 1;
  return closing.test(text.slice(Math.max(from, line))) || looksHostile(text.slice(Math.max(from, line - 2000)));
}
