import { inlineMarkup } from './htmlSyntax';

/** Text longer than this is not read to its end; a tag in it counts as code. In characters. */
export const longestRead = 10_000;

const escapable = /[!-/:-@[-`{-~]/;
/** The rest of a link from the end of its text. */
const linkTarget = /(?<=\[[^\]]*)\]\((?:[^()\\\n]|\\.|\([^()\n]*\))*\)/y;

/** Whether text behind `inline` (the text of a paragraph or heading up to there) may stand in a code span. What follows is not known yet, so it does
 *  behind every run of backticks that nothing has closed; and backticks may belong to a tag or the target of a link, and a table ends a span with
 *  its cell, so it does where any of these readings says so: to keep a tag that is no code as a word costs less than to lose code. */
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

/** Whether a run of backticks is open at the end of `text`: only a run of the same length closes it. In what fits one of `skipped` there are none. */
function isOpen(text: string, ...skipped: readonly RegExp[]): boolean {
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === '\\' && escapable.test(text.charAt(at + 1))) at += 2;
    else if (character === '`') {
      const behind = behindSpan(text, at);
      if (behind === -1) return true;
      at = behind;
    } else at = skipped.map((pattern) => endOf(pattern, text, at)).find((end) => end > at) ?? at + 1;
  }
  return false;
}

/** The offset behind the code span that begins at `start`, or -1 when nothing has closed it. */
function behindSpan(text: string, start: number): number {
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

/** Where what fits the sticky `pattern` at `at` ends; `at` when nothing does. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
