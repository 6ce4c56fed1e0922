import type { Token } from 'marked';
import { looksHostile } from '../../protocol/markdownParser';

/** Code without its closing fence yet, at the end of a text: any added text belongs to it until a line closes it. */
export interface OpenFence {
  /** The text so far, including the code. */
  readonly text: string;
  /** Position in the text at which the code begins. */
  readonly from: number;
  /** Matches a line that would close it. */
  readonly closing: RegExp;
}

/** Number of characters of code above which it is parsed like anything else, and limited by its length. */
const longest = 100_000;

/** Returns the open fence when `token`, which begins at `at` and is the last one of `text`, is one; else null.
 *  Leaves indented fences to the parser, which removes the indentation from each line. */
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

/** Returns the same fence in the current text; null when it may be closed, or is not certain to be the same code. */
export function grown(fence: OpenFence, text: string): OpenFence | null {
  const isCertain =
    text.length - fence.from <= longest && text.startsWith(fence.text) && !text.includes('\0', fence.text.length);
  return isCertain && !mayClose(fence, text, fence.text.length) ? { ...fence, text } : null;
}

/** Returns its code as the parser would: without the end of its last line, unless empty lines follow. */
export function codeIn({ text, from }: OpenFence): string {
  const endsLine = text.length > from + 1 && text.endsWith('\n') && !text.endsWith('\n\n');
  return endsLine ? text.slice(from, -1) : text.slice(from);
}

function mayClose({ closing, from }: Pick<OpenFence, 'closing' | 'from'>, text: string, added: number): boolean {
  const line = text.lastIndexOf('\n', added - 1) + 1;
  return closing.test(text.slice(Math.max(from, line))) || looksHostile(text.slice(Math.max(from, line - 2000)));
}
