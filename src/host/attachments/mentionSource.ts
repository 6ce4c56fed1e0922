/** Target of a mention, parsed from its source. Lines count from 1. */
export type MentionTarget =
  | { readonly kind: 'file'; readonly path: string; readonly lines: LineRange | null }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'symbol'; readonly path: string; readonly lines: LineRange; readonly name: string }
  | { readonly kind: 'problems'; readonly path: string | null }
  | { readonly kind: 'selection' }
  | { readonly kind: 'terminal' }
  /** `what`: "status", "diff" or the hash of a commit. */
  | { readonly kind: 'git'; readonly what: string }
  | { readonly kind: 'session'; readonly sessionId: string }
  /** `of`: the address of the resource, or the template of one. */
  | { readonly kind: 'resource' | 'template'; readonly server: string; readonly of: string };

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

const lineEnding = /:(\d{1,9})(?:-(\d{1,9}))?$/;

/** Parses the source of a mention. Null: not a valid source. */
export function readSource(source: string): MentionTarget | null {
  const [kind = '', rest] = splitOnce(source, ':');
  switch (kind) {
    case 'file':
      return rest === null || rest === '' ? null : { kind, ...withoutLines(rest) };
    case 'folder':
      return rest === null || rest === '' ? null : { kind, path: rest };
    case 'symbol': {
      // A name may contain `#`, as those of private members do.
      const match = /^(.+?:\d+(?:-\d+)?)#(.+)$/s.exec(rest ?? '');
      if (match === null) return null;
      const { path, lines } = withoutLines(match[1] ?? '');
      return lines === null ? null : { kind, path, lines, name: match[2] ?? '' };
    }
    case 'problems':
      return { kind, path: rest === '' ? null : rest };
    case 'selection':
    case 'terminal':
      return rest === null ? { kind } : null;
    case 'git':
      return rest !== null && /^(status|diff|[0-9a-f]{4,64})$/.test(rest) ? { kind, what: rest } : null;
    case 'session':
      return rest === null || rest === '' ? null : { kind, sessionId: rest };
    case 'resource':
    case 'template': {
      const [server, of] = splitOnce(rest ?? '', ':');
      const name = decoded(server);
      return of === null || of === '' || name === null ? null : { kind, server: name, of };
    }
    default:
      return null;
  }
}

/** Source of a resource of an MCP server. */
export function resourceSource(server: string, uri: string): string {
  return `resource:${encodeURIComponent(server.toWellFormed())}:${uri}`;
}

/** Source of a template: it has to be filled in before it can be read. */
export function templateSource(server: string, uriTemplate: string): string {
  return `template:${encodeURIComponent(server.toWellFormed())}:${uriTemplate}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Formats "src/a.ts", "src/a.ts:10", "src/a.ts:10-24". */
export function withLines(path: string, lines: LineRange | null): string {
  return lines === null ? path : `${path}:${lines.from}${lines.to === lines.from ? '' : `-${lines.to}`}`;
}

/** Splits a path from the line numbers that the user typed after it. A drive letter is not a line number. */
export function withoutLines(written: string): { readonly path: string; readonly lines: LineRange | null } {
  const match = lineEnding.exec(written);
  if (match === null || match.index === 0) return { path: written, lines: null };
  const from = Math.max(1, Number(match[1]));
  const to = match[2] === undefined ? from : Math.max(1, Number(match[2]));
  return { path: written.slice(0, match.index), lines: { from: Math.min(from, to), to: Math.max(from, to) } };
}

function splitOnce(text: string, separator: string): readonly [string, string | null] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
