import type { Token, Tokens } from 'marked';
import { codeMarkup, escapeHtml, linkMarkup } from './markup';

/** A block that reads the same whatever the parser knows, with its HTML. */
interface PlainToken extends Tokens.Generic {
  readonly type: 'plain';
  readonly html: string;
}

export function isPlain(token: Token): token is PlainToken {
  return token.type === 'plain';
}

/** The blocks that a text begins with as long as they are of the plain kind that most of an answer is, and how many characters they take: words with
 *  simple emphasis, code and links in paragraphs, headings, quotes and lists of one level, and closed code. Markdown's whole grammar costs ten
 *  times as much to apply. What is not certain to be plain is left to the parser, and all of it gives exactly what the parser would. */
export function plainBlocks(source: string): { readonly tokens: readonly Token[]; readonly length: number } {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const spaceEnd = endOfBlankLines(source, at);
    if (spaceEnd > at) tokens.push({ type: 'space', raw: source.slice(at, spaceEnd) });
    if (spaceEnd === source.length) return { tokens, length: spaceEnd };
    const block = blockAt(source, spaceEnd);
    if (block === null) return { tokens, length: spaceEnd };
    tokens.push(block);
    at = spaceEnd + block.raw.length;
  }
  return { tokens, length: at };
}

function endOfBlankLines(source: string, from: number): number {
  let at = from;
  while (source.charAt(at) === '\n') at++;
  return at;
}

// Its last line is not empty: such lines belong to the code in ways of their own.
const closedFence = /```([\w+#.-]*)\n((?:(?! {0,3}```)[^\n]*\n)*(?! {0,3}```)[^\n]+\n)```(?:\n|$)/y;

function blockAt(source: string, at: number): PlainToken | Tokens.Code | null {
  if (source.startsWith('```', at)) {
    closedFence.lastIndex = at;
    const [raw, info = '', code = ''] = closedFence.exec(source) ?? [];
    return raw === undefined ? openCode(source, at) : { type: 'plain', raw, html: codeMarkup(code.slice(0, -1), info) };
  }
  const first = source.slice(at, endOfLine(source, at));
  const heading = /^(#{1,6}) (?=\S)/.exec(first);
  // It ends with its line, whatever comes behind it.
  if (heading?.[1] !== undefined) return headingOf(heading[1].length, first, source.charAt(at + first.length));
  const blank = source.indexOf('\n\n', at);
  const lines = source.slice(at, blank === -1 ? undefined : blank).replace(/\n$/, '').split('\n');
  const raw = source.slice(at, blank === -1 ? undefined : blank + 1);
  const html = first.startsWith('> ') ? quote(lines) : (list(lines, blank === -1 ? '' : source.slice(endOfBlankLines(source, blank), endOfBlankLines(source, blank) + 1)) ?? paragraph(lines));
  return html === null ? null : { type: 'plain', raw, html };
}

const openFence = /```([\w+#.-]*)\n((?:(?! {0,3}```)[^\n]*\n)*(?! {0,3}```)[^\n]+)$/y;

/** Code that is not closed yet and ends within a line; what is added to it costs no parsing (openFence.ts). */
function openCode(source: string, at: number): Tokens.Code | null {
  openFence.lastIndex = at;
  const [raw, lang = '', text = ''] = openFence.exec(source) ?? [];
  return raw === undefined ? null : { type: 'code', raw, text, ...(lang === '' ? {} : { lang }) };
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

function headingOf(level: number, line: string, lineEnd: string): PlainToken | null {
  const words = line.slice(level + 1);
  const inline = /[#\s]$/.test(words) ? null : inlineMarkup(words);
  return inline === null ? null : { type: 'plain', raw: line + lineEnd, html: `<h${level}>${inline}</h${level}>\n` };
}

function quote(lines: readonly string[]): string | null {
  const inside = lines.every((line) => line.startsWith('> ')) ? paragraph(lines.map((line) => line.slice(2))) : null;
  return inside === null ? null : `<blockquote>\n${inside}</blockquote>\n`;
}

/** Null where it is none, or what comes `behind` it may be part of it. */
function list(lines: readonly string[], behind: string): string | null {
  const [, sign, start] = /^(?:([-*])|(\d{1,4})\.) /.exec(lines[0] ?? '') ?? [];
  if ((sign === undefined && start === undefined) || /[-*+\s\d]/.test(behind)) return null;
  const items = lines.map((line) => {
    const [marker] = (sign === undefined ? /^\d{1,4}\. / : /^[-*] /).exec(line) ?? [];
    const words = marker === undefined || (sign !== undefined && !marker.startsWith(sign)) ? null : line.slice(marker.length);
    return words === null || !beginsPlain(words) ? null : inlineMarkup(words);
  });
  if (items.some((item) => item === null)) return null;
  const inside = items.map((item) => `<li>${item}</li>\n`).join('');
  return start === undefined ? `<ul>\n${inside}</ul>\n` : `<ol${Number(start) === 1 ? '' : ` start="${Number(start)}"`}>\n${inside}</ol>\n`;
}

function paragraph(lines: readonly string[]): string | null {
  const inline = lines.every(beginsPlain) ? inlineMarkup(lines.join('\n')) : null;
  return inline === null ? null : `<p>${inline}</p>\n`;
}

/** Nothing but words can begin like this, and no line that goes on with them. */
function beginsPlain(line: string): boolean {
  return /^(?:[\p{L}("']|\d+(?![\d.)])|`[^`]|\*{1,2}[\p{L}\d]|\[[\p{L}\d])/u.test(line);
}

const stretch = /`([^`\n]+)`(?!`)|(\*{1,2})([A-Za-z0-9](?:[A-Za-z0-9 ,.;/-]*[A-Za-z0-9])?)\2(?=$|[ \n.,;:)?])|\[([A-Za-z0-9](?:[\w ./-]*[A-Za-z0-9])?)\]\(([\w./:#?=%+-]+)\)|([^`*[\]\\<&$~_|@!\t\r\f\v\0]+)/y;

/** Null where anything in it may mean something that this does not know. */
function inlineMarkup(text: string): string | null {
  if (/[ \n]$| \n|\n /.test(text)) return null;
  let html = '';
  stretch.lastIndex = 0;
  while (stretch.lastIndex < text.length) {
    const at = stretch.lastIndex;
    const [found, code, stars, stressed, words, href, plain] = stretch.exec(text) ?? [];
    const whole = found ?? unmatched(text, at);
    if (whole === null) return null;
    const isMarked = found !== undefined && plain === undefined;
    const part = isMarked ? marked({ before: text.slice(0, at), code, stars, stressed, words, href }) : wordsMarkup(whole);
    if (part === null) return null;
    html += part;
    stretch.lastIndex = at + whole.length;
  }
  return html;
}

/** A sign that nothing closes yet: where text arrives it mostly will, and until then it is the sign that it is. */
function unmatched(text: string, at: number): string | null {
  const [sign = ''] = /^(?:`|\*{1,2}(?!\*)|\[)/.exec(text.slice(at, at + 3)) ?? [];
  const closing = sign === '[' ? ']' : sign.charAt(0);
  return sign === '' || text.includes(closing, at + sign.length) ? null : sign;
}

interface Marked {
  readonly before: string;
  readonly code: string | undefined;
  readonly stars: string | undefined;
  readonly stressed: string | undefined;
  readonly words: string | undefined;
  readonly href: string | undefined;
}

function marked({ before, code, stars, stressed, words, href }: Marked): string | null {
  if (code !== undefined) return /^ | $/.test(code) ? null : `<code>${escapeHtml(code)}</code>`;
  if (stressed !== undefined) {
    const inside = /(?:^|[ \n(])$/.test(before) ? wordsMarkup(stressed) : null;
    const name = stars === '*' ? 'em' : 'strong';
    return inside === null ? null : `<${name}>${inside}</${name}>`;
  }
  const inside = words === undefined ? null : wordsMarkup(words);
  return inside === null || words?.includes('_') === true || href === undefined ? null : linkMarkup(href, href, inside);
}

/** Addresses become links by themselves. */
function wordsMarkup(text: string): string | null {
  return /https?:|ftp:|www\.|mailto:|xmpp:/i.test(text) ? null : escapeHtml(text);
}
