/** What a person typed into a search field, understood. Nothing in it can be a syntax error. */
export interface SearchWords {
  /** Every term must occur. Lower case, as `foldText` gives it. */
  readonly terms: readonly string[];
  /** The query for the full-text index, or null when only a scan can answer: scripts without spaces, parts of words, punctuation. */
  readonly match: string | null;
  /** Patterns for LIKE, per term: any of them may match. */
  readonly patterns: readonly (readonly string[])[];
}

const longestQuery = 2048;
const mostTerms = 16;
/** What the index's tokenizer (unicode61) keeps together. */
const token = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
/** Scripts written without spaces: the index holds a whole run as one word, so a part of it is found only by scanning. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Words are separated by white space; "quoted words" are one term. Null when there is nothing to look for. */
export function searchWords(text: string): SearchWords | null {
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

/** Whether the text would be found by `match` if it were indexed: every term a whole word, the last one the beginning of a word. So a row
 *  answers alike before and after it is indexed. Only for terms of `match`: they hold word characters alone. */
export function containsWords(text: string, terms: readonly string[]): boolean {
  const folded = foldText(text).text;
  return terms.every((term, index) => {
    const end = index === terms.length - 1 ? '' : `(?!${wordCharacter})`;
    return new RegExp(`(?<!${wordCharacter})${term}${end}`, 'u').test(folded);
  });
}

/** Whether every term occurs somewhere in the text, be it inside a word. */
export function containsAll(text: string, terms: readonly string[]): boolean {
  const folded = foldText(text).text;
  return terms.every((term) => folded.includes(term));
}

export interface FoldedText {
  readonly text: string;
  /** Offset in the original of each UTF-16 unit of `text`; null when the two have the same offsets. */
  readonly offsets: readonly number[] | null;
}

/** A text without case and without marks on letters, as the index compares ("Café" is "cafe"). */
export function foldText(text: string): FoldedText {
  // eslint-disable-next-line no-control-regex -- the range is what ASCII means
  if (/^[\u0000-\u007f]*$/.test(text)) return { text: text.toLowerCase(), offsets: null };
  const offsets: number[] = [];
  let folded = '';
  let offset = 0;
  for (const character of text) {
    // Only the marks of alphabets go: the voicing mark of kana and the parts of a Hangul syllable make another letter.
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
