import { inlineMarkup } from './htmlSyntax';

/** Longest text that is parsed to its end, in characters. In longer text, a tag counts as code. */
export const longestRead = 10_000;

const escapable = /[!-/:-@[-`{-~]/;
/** Rest of a link, from the end of its text. */
const linkTarget = /(?<=\[[^\]]*)\]\((?:[^()\\\n]|\\.|\([^()\n]*\))*\)/y;

/** True when text after `inline` (the text of a paragraph or heading up to there) may be inside a code span. The
 *  following text is unknown, so every unclosed run of backticks counts as open. Backticks may belong to a tag or a
 *  link target, and the end of a table cell ends a span. The result is true if any of these readings says so: a tag
 *  kept as text by mistake costs less than lost code. */
export function mayBeCodeSpan(inline: string): boolean {
  if (!inline.includes('`')) return false;
  if (inline.length > longestRead) return true;
  const line = inline.slice(inline.lastIndexOf('\n') + 1);
  const cell = line.slice(line.lastIndexOf('|') + 1);
  return (
    isOpen(inline) ||
    isOpen(inline, inlineMarkup) ||
    isOpen(inline, inlineMarkup, linkTarget) ||
    isOpen(line) ||
    isOpen(cell)
  );
}

/** True when a run of backticks is open at the end of `text`: only a run of the same length closes it. Ignores
 *  backticks in matches of `skipped`. */
function isOpen(text: string, ...skipped: readonly RegExp[]): boolean {
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === '\\' && escapable.test(text.charAt(at + 1))) at += 2;
    else if (character === '`') {
      const after = afterSpan(text, at);
      if (after === -1) return true;
      at = after;
    } else at = skipped.map((pattern) => endOf(pattern, text, at)).find((end) => end > at) ?? at + 1;
  }
  return false;
}

/** Offset after the code span that begins at `start`, or -1 when it is not closed. */
function afterSpan(text: string, start: number): number {
  const length = runAt(text, start);
  for (let at = start + length; ;) {
    at = text.indexOf('`', at);
    if (at === -1) return -1;
    const run = runAt(text, at);
    if (run === length) return at + run;
    at += run;
  }
}

function runAt(text: string, start: number): number {
  let end = start;
  while (text[end] === '`') end++;
  return end - start;
}

/** End of the match of the sticky `pattern` at `at`; `at` when there is no match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
