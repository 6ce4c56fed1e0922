/** Where a link of an answer leads. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly url: string }
  /** A path as the answer wrote it, with a place in the file (from 1) where it names one. */
  | { readonly kind: 'file'; readonly path: string; readonly line: number | null; readonly column: number | null }
  | { readonly kind: 'refused'; readonly scheme: string };

/** Reads a link. Only the web, mail and files are opened: a `command:` or `vscode:` link in an answer could act in the person's name. */
export function linkTarget(href: string): LinkTarget {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return { kind: 'web', url: href };
  // "upload.ts:12" is a path with a line, not a scheme; a scheme of one letter is a drive.
  if (scheme !== undefined && scheme !== 'file' && !/^[^/:]+:\d+(:\d+)?$/.test(href))
    return { kind: 'refused', scheme };
  const place = /^(.*?)(?:#L?(\d+)(?:[-,:].*)?|:(\d+)(?::(\d+))?(?:-\d+)?|#.*)?$/.exec(href.replace(/^file:\/\//i, ''));
  return {
    kind: 'file',
    // Only what is left of the fragment is decoded: a "%23" in a name is no fragment.
    path: decoded(place?.[1] ?? href),
    line: numberOf(place?.[2] ?? place?.[3]),
    column: numberOf(place?.[4]),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a lone "%" is a legal character in a file's name
  }
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Math.max(1, Number(digits));
}
