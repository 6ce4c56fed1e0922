import { readFileSync } from 'node:fs';
import * as v from 'valibot';

/** A language that nobody speaks and everybody can read: "Send" is "⟦Ŝéñð··⟧". What is on a screen without these brackets was not translated;
 *  two fifths more of it show what longer languages do to a layout. */
const letters: Readonly<Record<string, string>> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'ð',
  e: 'é',
  f: 'ƒ',
  g: 'ĝ',
  h: 'ĥ',
  i: 'î',
  j: 'ĵ',
  k: 'ķ',
  l: 'ļ',
  m: 'ɱ',
  n: 'ñ',
  o: 'ö',
  p: 'þ',
  q: 'ǫ',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'û',
  v: 'ṽ',
  w: 'ŵ',
  x: 'ẋ',
  y: 'ý',
  z: 'ž',
  A: 'Å',
  B: 'Ɓ',
  C: 'Ç',
  D: 'Ð',
  E: 'É',
  F: 'Ƒ',
  G: 'Ĝ',
  H: 'Ĥ',
  I: 'Î',
  J: 'Ĵ',
  K: 'Ķ',
  L: 'Ļ',
  M: 'Ṁ',
  N: 'Ñ',
  O: 'Ö',
  P: 'Þ',
  Q: 'Ǫ',
  R: 'Ŕ',
  S: 'Š',
  T: 'Ţ',
  U: 'Û',
  V: 'Ṽ',
  W: 'Ŵ',
  X: 'Ẋ',
  Y: 'Ý',
  Z: 'Ž',
};

export function pseudo(english: string): string {
  const accented = accentedText(english);
  return `⟦${accented}${'·'.repeat(Math.ceil(english.replace(/\{\w+\}/g, '').length * 0.4))}⟧`;
}

function accentedText(english: string): string {
  return english
    .split(/(\{\w+\})/)
    .map((piece, index) => (index % 2 === 1 ? piece : [...piece].map((letter) => letters[letter] ?? letter).join('')))
    .join('');
}

/** Every text that host and webviews give to `t`, as in `l10n/bundle.l10n.json`. */
export function englishTexts(): readonly string[] {
  return Object.keys(
    v.parse(v.record(v.string(), v.string()), JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8'))),
  );
}

export function pseudoBundle(): Readonly<Record<string, string>> {
  return Object.fromEntries(englishTexts().map((text) => [text, pseudo(text)]));
}

/** How something with this English name is called in the pseudo language: what is filled in stays as it is, and more may follow it. */
export function pseudoName(english: string, texts: readonly string[]): RegExp {
  if (texts.includes(english)) return new RegExp(`^${escaped(pseudo(english))}`);
  for (const text of texts.filter((each) => each.includes('{')).sort((a, b) => b.length - a.length)) {
    const filled = new RegExp(
      `^${text
        .split(/\{\w+\}/)
        .map(escaped)
        .join('(.+)')}$`,
    ).exec(english);
    if (filled === null) continue;
    let hole = 0;
    const pieces = pseudo(text).split(/(\{\w+\})/);
    return new RegExp(
      `^${pieces.map((piece) => (/^\{\w+\}$/.test(piece) ? `[⟦]*${escaped(filled[++hole] ?? '')}.*` : escaped(piece))).join('')}`,
    );
  }
  // A name in which data stands: each word of it is there, translated or not.
  return new RegExp(
    english
      .split(/\s+/)
      .map((word) => `(?:${escaped(word)}|${escaped(accentedText(word))})`)
      .join('.*'),
  );
}

/** What is left of a text when everything that was translated is taken out, with what was filled in. */
export function untranslated(text: string): string {
  let left = text;
  for (let before = ''; before !== left;) {
    before = left;
    left = left.replace(/⟦[^⟦⟧]*⟧/g, ' ');
  }
  return left.replace(/\s+/g, ' ').trim();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
