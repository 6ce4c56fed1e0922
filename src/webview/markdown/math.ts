import type { MarkedExtension } from 'marked';

/** Maximum lines and characters before math must be closed, so that an unpaired sign far above swallows nothing. */
const most = { lines: 200, block: 20_000, inline: 2000 };

/** Keeps math as text: `$x_1$`, `$$ … $$`, `\( … \)` and `\[ … \]` are neither emphasized nor unescaped, and keep
 *  their signs. Prices are not math. A block still open at the end of a text counts as math, including blank lines,
 *  until a line shows that it is not. So parsing during streaming gives the same result as parsing the final text. */
export function mathAsText(escape: (text: string) => string): MarkedExtension {
  return {
    extensions: [
      {
        name: 'mathBlock',
        level: 'block',
        start: startOfBlock,
        tokenizer: (source) => tokenOf('mathBlock', blockOf(source)),
        renderer: ({ raw }) => `<p class="math-block">${escape(raw.trimEnd())}</p>\n`,
      },
      {
        name: 'math',
        level: 'inline',
        start: (source) => source.slice(0, most.inline).indexOf('$'),
        tokenizer: (source, tokens) => tokenOf('math', inlineMath(source, tokens.at(-1)?.raw.at(-1) ?? '')),
        renderer: ({ raw }) => `<span class="math">${escape(raw)}</span>`,
      },
    ],
    hooks: { emStrongMask: masked },
  };
}

function tokenOf(type: string, raw: string | null): { type: string; raw: string } | undefined {
  return raw === null ? undefined : { type, raw };
}

/** Position in a paragraph at which a math block may begin. */
function startOfBlock(source: string): number {
  const end = source.indexOf('\n\n');
  const found = /\n {0,3}(?:\$\$|\\\[)/.exec(end < 0 ? source : source.slice(0, end));
  return found === null ? -1 : found.index + 1;
}

function blockOf(source: string): string | null {
  const [opening, sign] = /^ {0,3}(\$\$|\\\[)/.exec(source) ?? [];
  if (opening === undefined) return null;
  const close = sign === '$$' ? '$$' : '\\]';
  const lineEnd = source.indexOf('\n');
  const first = lineEnd < 0 ? source : source.slice(0, lineEnd);
  const rest = first.slice(opening.length);
  if (rest.trim() === '') return upToClosing(source, first.length, close);
  const at = rest.indexOf(close);
  return at > 0 && rest.slice(at + close.length).trim() === '' ? source.slice(0, first.length + 1) : null;
}

/** Matches code, a heading, a rule, a quote, or words of a sentence. */
const noMath = /^ {0,3}(?:```|~~~|#{1,6}\s|(?:[-*_] *){3,}$|>|(?:[-*+]\s+|\d+[.)]\s+)?(?:[\p{L}'’]{2,}[,;:]? ){2})/u;

/** Returns the block from its opening line to the line that closes it. An unclosed block may still be math, until a
 *  line after a blank one cannot be math. */
function upToClosing(source: string, from: number, close: string): string | null {
  let at = from;
  let isAfterBlank = false;
  for (let line = 0; line < most.lines && at < most.block; line++) {
    if (at >= source.length - 1) return source;
    const next = source.indexOf('\n', at + 1);
    const text = source.slice(at + 1, next < 0 ? undefined : next);
    if (text.trimEnd().endsWith(close)) return next < 0 ? source : source.slice(0, next + 1);
    if (isAfterBlank && noMath.test(text)) return null;
    if (next < 0) return source;
    isAfterBlank = text.trim() === '';
    at = next;
  }
  return null;
}

const closings: readonly (readonly [string, string])[] = [
  ['$$', '$$'],
  ['\\(', '\\)'],
  ['\\[', '\\]'],
];
const dollars = /^\$(?![\s$])((?:\\[^\n]|[^$\\\n]){1,1000})\$(?![\p{L}\p{N}$])/u;
// "$5 and 10$" are prices, "$5 x = 10$" is not.
const price = /^\d[\d.,]*\s(?!.*[=\\^_{])/;

/** Returns the math at the beginning of a text; `before` is the character before it. */
function inlineMath(source: string, before: string): string | null {
  for (const [open, close] of closings) {
    if (!source.startsWith(open)) continue;
    const end = source.slice(0, most.inline).indexOf(close, open.length + 1);
    return end < 0 ? null : source.slice(0, end + close.length);
  }
  if (/[\p{L}\p{N}$\\]/u.test(before)) return null;
  const [whole, inner = ''] = dollars.exec(source.slice(0, most.inline)) ?? [];
  return whole === undefined || /\s$/.test(inner) || price.test(inner) ? null : whole;
}

/** Masks the math in a text, so that nothing in it can begin or end emphasis. Keeps the length. */
function masked(source: string): string {
  if (!/\$|\\[([]/.test(source)) return source;
  let result = '';
  let at = 0;
  for (const { index } of source.matchAll(/\$|\\[([]/g)) {
    if (index < at) continue;
    const math = inlineMath(source.slice(index, index + most.inline), source.charAt(index - 1));
    if (math === null) continue;
    result += source.slice(at, index) + 'a'.repeat(math.length);
    at = index + math.length;
  }
  return result + source.slice(at);
}
