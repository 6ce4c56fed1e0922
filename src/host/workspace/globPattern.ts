import picomatch from 'picomatch';
import { asTyped } from '../../tools/asTyped';

/** Parentheses and repetition signs are part of a file's name here, as in the editor's own globs. */
const literalSigns = /[()|+$]/g;

/** Returns a function that tests a path below a root (forward slashes) against a glob. A pattern without a slash
 *  matches the name at any depth; one with a slash is anchored at the root; one that ends with a slash matches
 *  everything in that folder. Supports `**`, `*`, `?`, `[…]` and `{a,b}`. Names match as typed, too. An invalid pattern
 *  matches nothing. */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  const cleaned = pattern.trim().replace(/^\.?\//, '');
  const anchored = cleaned.includes('/') || cleaned !== pattern.trim() ? cleaned : `**/${cleaned}`;
  const glob = (anchored.endsWith('/') ? `${anchored}**/*` : anchored).replaceAll(literalSigns, '\\$&');
  try {
    const options = { dot: true, nonegate: true, noextglob: true, posix: true, strictBrackets: true };
    const [matches, matchesTyped] = [picomatch(glob, options), picomatch(asTyped(glob), options)];
    return (path) => matches(path) || matchesTyped(asTyped(path));
  } catch {
    // An invalid pattern is not an error of the search.
    return () => false;
  }
}
