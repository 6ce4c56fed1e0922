/** A file named in a text, with the position (from 1) if the text gives one. */
interface NamedFile {
  /** With forward slashes. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** A symbol named in a text: "Clock.sleep()" is `sleep` in `Clock`. */
export interface NamedSymbol {
  readonly name: string;
  readonly container: string | null;
}

const place =
  /^(.+?)(?::(\d{1,7})(?::(\d{1,5}))?(?:-\d{1,7})?|#L(\d{1,7})(?:-L?\d{1,7})?|,? (?:at |on )?\(?line (\d{1,7})\)?)?$/;

/** Parses a text that may name a file. Null when it is not a path: a URL, several lines. Does not check that the
 *  file exists. */
export function fileNamed(text: string): NamedFile | null {
  if (/[\r\n\0]|^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return null;
  const [, written = '', line, column, anchor, inWords] = place.exec(text.trim()) ?? [];
  const path = written.replaceAll('\\', '/').replace(/^\.\//, '');
  if (path === '' || path === '.' || path.startsWith('//') || path.split('/').includes('..')) return null;
  return { path, line: numberOf(line ?? anchor ?? inWords), column: numberOf(column) };
}

/** Parses a text that may name a symbol. Null when it is not a symbol name. */
export function symbolNamed(text: string): NamedSymbol | null {
  const parts = /^([\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*){0,8})(?:\(\))?$/u
    .exec(text.trim())?.[1]
    ?.split(/\.|::|#/);
  const name = parts?.at(-1);
  return name === undefined || name.length < 3 ? null : { name, container: parts?.at(-2) ?? null };
}

/** Address of a file for `openLink`. Encodes characters that could be read as a position or a scheme. */
export function hrefOf(path: string, { line, column }: Pick<NamedFile, 'line' | 'column'>): string {
  const address = path.split('/').map(encodeURIComponent).join('/');
  return line === null ? address : `${address}:${Math.max(1, line)}${column === null ? '' : `:${Math.max(1, column)}`}`;
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

/** Index of the open folders' files by file name. Finds a file by the end of its path. */
export class FileIndex {
  private readonly byName = new Map<string, string[]>();

  /** `paths`: as shown to the user, with forward slashes. */
  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const known = this.byName.get(name);
      if (known === undefined) this.byName.set(name, [path]);
      else known.push(path);
    }
  }

  /** Returns the file with this path, or else the only file whose path ends with it. Null: there is none, or more
   *  than one. */
  find(path: string): string | null {
    const named = this.byName.get(path.slice(path.lastIndexOf('/') + 1)) ?? [];
    if (named.includes(path)) return path;
    const [only, another] = named.filter((candidate) => candidate.endsWith(`/${path}`));
    return another === undefined ? (only ?? null) : null;
  }
}
