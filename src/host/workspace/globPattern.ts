/** Returns a function that tests a path below a root (forward slashes) against a glob. A pattern without a slash
 *  matches the name at any depth; one with a slash is anchored at the root. Supports `**`, `*`, `?`, `[…]` and
 *  `{a,b}`. An invalid pattern matches nothing. */
export function globMatcher(pattern: string): (relativePath: string) => boolean {
  const cleaned = pattern.trim().replace(/^\.?\//, '');
  const anchored = cleaned.includes('/') || cleaned !== pattern.trim() ? cleaned : `**/${cleaned}`;
  const expression = compile(anchored.endsWith('/') ? `${anchored}**` : anchored);
  return (relativePath) => expression?.test(relativePath) ?? false;
}

function compile(pattern: string): RegExp | null {
  let source = '';
  let openBraces = 0;
  for (let index = 0; index < pattern.length; index++) {
    const rest = pattern.slice(index);
    const character = rest.charAt(0);
    const set = /^\[(!|\^)?([^\]/]+)\]/.exec(rest);
    if (rest.startsWith('**/')) {
      source += '(?:[^/]+/)*';
      index += 2;
    } else if (rest.startsWith('**')) {
      source += '.*';
      index += 1;
    } else if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (set !== null) {
      source += `[${set[1] === undefined ? '' : '^'}${(set[2] ?? '').replace(/\\/g, '\\\\')}]`;
      index += set[0].length - 1;
    } else if (character === '{' && rest.includes('}')) {
      source += '(?:';
      openBraces++;
    } else if (character === '}' && openBraces > 0) {
      source += ')';
      openBraces--;
    } else if (character === ',' && openBraces > 0) source += '|';
    else source += character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`);
  } catch {
    // an invalid pattern (say "{a" inside "}") is no error of the search: it matches nothing, as documented above
    return null;
  }
}
