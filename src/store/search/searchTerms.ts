/** Parsed text of a search field. No input is a syntax error. */
export interface SearchTerms {
  /** Every term must occur. Lower case, as returned by `foldText`. */
  readonly terms: readonly string[];
  /** The query for the full-text index, or null when only a scan can answer: scripts without spaces, parts of
   *  words, punctuation. */
  readonly match: string | null;
  /** LIKE patterns per term: any of them may match. */
  readonly patterns: readonly (readonly string[])[];
}

const longestQuery = 2048;
const mostTerms = 16;
/** Characters that the index's tokenizer (unicode61) keeps together. */
const token = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** Scripts written without spaces: the index holds a whole run as one word, so only a scan finds a part of it. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Splits the text into terms at white space; "quoted words" are one term. Null when there are no terms. */
export function searchTerms(text: string): SearchTerms | null {
  const raw = Array.from(text.slice(0, longestQuery).matchAll(/"([^"]*)"|[^\s"]+/g), (found) =>
    (found[1] ?? found[0]).trim(),
  )
    .filter((term) => term !== '')
    .slice(0, mostTerms);
  if (raw.length === 0) return null;
  const scanned = raw.some(
    (term) => unspaced.test(term) || term.replace(token, '') !== '' || Array.from(term).length < 2,
  );
  return {
    terms: raw.map((term) => foldText(term).text),
    match: scanned
      ? null
      : raw.map((term, index) => `"${term.toLowerCase()}${index === raw.length - 1 ? '*' : ''}"`).join(' '),
    patterns: raw.map((term) => Array.from(new Set([term, term.toLowerCase(), term.toUpperCase()]))),
  };
}

const wordCharacter = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';

/** True when `match` would find the text if it were indexed: every term a whole word, the last one the beginning of
 *  a word. So a row matches alike before and after it is indexed. Only for terms of `match`: they contain word
 *  characters only. */
export function containsTerms(text: string, terms: readonly string[]): boolean {
  const folded = foldText(text).text;
  return terms.every((term, index) => {
    const end = index === terms.length - 1 ? '' : `(?!${wordCharacter})`;
    return new RegExp(`(?<!${wordCharacter})${term}${end}`, 'u').test(folded);
  });
}

/** True when every term occurs somewhere in the text, even inside a word. */
export function containsAll(text: string, terms: readonly string[]): boolean {
  const folded = foldText(text).text;
  return terms.every((term) => folded.includes(term));
}

interface FoldedText {
  readonly text: string;
  /** Offset in the original of each UTF-16 unit of `text`; null when the two have the same offsets. */
  readonly offsets: readonly number[] | null;
}

/** Converts a text to lower case and removes marks on letters, as the index compares ("Café" is "cafe"). */
export function foldText(text: string): FoldedText {
  // eslint-disable-next-line no-control-regex -- the range is what ASCII means
  if (/^[\u0000-\u007f]*$/.test(text)) return { text: text.toLowerCase(), offsets: null };
  const offsets: number[] = [];
  let folded = '';
  let offset = 0;
  for (const character of text) {
    // Only marks of alphabets are removed: the voicing mark of kana and the parts of a Hangul syllable make another
    // letter.
    const plain = character
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .toLowerCase();
    folded += plain;
    for (let unit = 0; unit < plain.length; unit++) offsets.push(offset);
    offset += character.length;
  }
  return { text: folded, offsets };
}
