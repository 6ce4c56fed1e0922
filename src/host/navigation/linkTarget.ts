/** Target of a link in an answer. */
type LinkTarget =
  | { readonly kind: 'web'; readonly url: string }
  /** Path as the answer wrote it, with a position in the file (from 1) if given. */
  | { readonly kind: 'file'; readonly path: string; readonly line: number | null; readonly column: number | null }
  | { readonly kind: 'refused'; readonly scheme: string };

/** Parses a link. Opens only web, mail and file links: a `command:` or `vscode:` link in an answer could act in the
 *  user's name. */
export function linkTarget(href: string): LinkTarget {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return { kind: 'web', url: href };
  // "upload.ts:12" is a path with a line, not a scheme; a one-letter scheme is a drive.
  if (scheme !== undefined && scheme !== 'file' && !/^[^/:]+:\d+(:\d+)?$/.test(href))
    return { kind: 'refused', scheme };
  const place = /^(.*?)(?:#L?(\d+)(?:[-,:].*)?|:(\d+)(?::(\d+))?(?:-\d+)?|#.*)?$/.exec(href.replace(/^file:\/\//i, ''));
  return {
    kind: 'file',
    // Decode only after removing the fragment: a "%23" in a name is not a fragment.
    path: decoded(place?.[1] ?? href),
    line: numberOf(place?.[2] ?? place?.[3]),
    column: numberOf(place?.[4]),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone "%" is legal in a file name
  }
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Math.max(1, Number(digits));
}
