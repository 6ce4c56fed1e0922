import picomatch from 'picomatch';

/** Parentheses and repetition signs are part of a file's name here, as in the editor's own globs. */
const literalSigns = /[()|+$]/g;

/** Returns a function that tests a path below a root (forward slashes) against a glob. A pattern without a slash
 *  matches the name at any depth; one with a slash is anchored at the root; one that ends with a slash matches
 *  everything in that folder. Supports `**`, `*`, `?`, `[…]` and `{a,b}`. An invalid pattern matches nothing. */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  const cleaned = pattern.trim().replace(/^\.?\//, '');
  const anchored = cleaned.includes('/') || cleaned !== pattern.trim() ? cleaned : `**/${cleaned}`;
  const glob = (anchored.endsWith('/') ? `${anchored}**/*` : anchored).replaceAll(literalSigns, '\\$&');
  try {
    return picomatch(glob, { dot: true, nonegate: true, noextglob: true, posix: true, strictBrackets: true });
  } catch {
    // An invalid pattern is not an error of the search.
    return () => false;
  }
}
