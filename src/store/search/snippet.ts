import { foldText } from './searchTerms';

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Snippet {
  readonly snippet: string;
  readonly matches: readonly Range[];
}

const before = 48;
const length = 200;
/** UTF-16 units per window. A hit is searched window by window, and only that window is folded, so that a megabyte
 *  of tool output costs little. */
const windowSize = 16_384;

/** Returns plain text around the first hit of a term, and every hit inside it as UTF-16 ranges of the snippet. Line
 *  breaks become spaces. */
export function snippetOf(text: string, terms: readonly string[]): Snippet {
  const hit = firstHit(text, terms);
  const from = hit <= before ? 0 : wordStart(text, hit - before, hit);
  const to = Math.min(text.length, from + length);
  const lead = from > 0 ? '…' : '';
  const body = wholeCharacters(text, from, to).replace(/\s/g, ' ');
  const matches = merged(hitsIn(body, terms)).map((range) => ({
    start: range.start + lead.length,
    end: range.end + lead.length,
  }));
  return { snippet: lead + body + (to < text.length ? '…' : ''), matches };
}

function firstHit(text: string, terms: readonly string[]): number {
  const overlap = terms.reduce((longest, term) => Math.max(longest, term.length), 0) * 2;
  for (let from = 0; from < text.length; from += windowSize) {
    const [first] = merged(hitsIn(text.slice(from, from + windowSize + overlap), terms));
    if (first !== undefined) return from + first.start;
  }
  return 0;
}

function hitsIn(text: string, terms: readonly string[]): Range[] {
  const folded = foldText(text);
  const original = (index: number): number =>
    folded.offsets === null ? index : (folded.offsets[index] ?? text.length);
  return terms.flatMap((term) => {
    const hits: Range[] = [];
    for (
      let at = folded.text.indexOf(term);
      term !== '' && at !== -1;
      at = folded.text.indexOf(term, at + term.length)
    ) {
      const last = original(at + term.length - 1);
      const next = original(at + term.length);
      hits.push({ start: original(at), end: Math.max(next, last + 1) });
    }
    return hits;
  });
}

function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && range.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else result.push(range);
  }
  return result;
}

function wordStart(text: string, from: number, hit: number): number {
  const space = text.slice(from, hit).search(/\s\S/);
  return space === -1 ? from : from + space + 1;
}

function wholeCharacters(text: string, from: number, to: number): string {
  return text.slice(from, to).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}
