/** Pattern that finds these words anywhere, with any white space between them; null when there are none. It is
 *  global: for `match` and `matchAll`. */
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
