/** A pattern that finds these words wherever they stand, blanks and line breaks between them being alike; null where there is nothing to look for.
 *  It is global: for `match` and `matchAll`. */
export function wordsPattern(text: string, matchCase: boolean): RegExp | null {
  const words = text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return null;
  return new RegExp(
    words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('\\s+'),
    matchCase ? 'g' : 'gi',
  );
}
