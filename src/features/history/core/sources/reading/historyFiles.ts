/** Reads files of other programs. Has no way to write. */
export interface HistoryFiles {
  /** Entries of a folder, sorted by name; empty when there is no such folder. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Null when nothing is there. */
  stat(path: string): Promise<FileFacts | null>;
  /** Bytes of a file from `start` (default: 0) to its end, or to `end` (exclusive), in pieces. */
  read(path: string, range?: ByteRange): AsyncIterable<Uint8Array>;
}

export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

export interface FileFacts {
  readonly kind: 'file' | 'folder';
  readonly size: number;
  /** Seconds since the epoch. */
  readonly modifiedAt: number;
}

/** Paths of all files below a folder, in order of their names, at most `depth` folders deep. Links are not followed. */
export async function* filesBelow(files: HistoryFiles, folder: string, depth: number): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}`;
    if (kind === 'file') yield path;
    else if (depth > 0) yield* filesBelow(files, path, depth - 1);
  }
}

/** The first bytes of a file, at most `count`. Empty for a file that cannot be read, and for a pipe or device. */
export async function beginning(files: Pick<HistoryFiles, 'read'>, path: string, count: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of files.read(path, { end: count })) pieces.push(piece);
  } catch {
    return Buffer.alloc(0);
  }
  return Buffer.concat(pieces);
}
