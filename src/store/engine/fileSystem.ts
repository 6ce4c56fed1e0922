import { parsedAs } from '../../transcript/json';
import { dirname } from 'node:path';
import type * as v from 'valibot';

/** Disk interface of the store: synchronous, with absolute paths and positions in bytes. Every call throws an
 *  `Error` with an errno name in `code` (`ENOSPC`, `EIO`, …; see `errnoOf`). `NodeFileSystem` is the real disk. */
export interface FileSystem {
  /** `read` and `write` need an existing file, and `read` one that is no pipe or device; `create` makes it when absent;
   *  `createNew` fails with EEXIST. New files are private to the user. */
  open(path: string, mode: OpenMode): OpenFile;
  /** Undefined when nothing is there. Follows symbolic links. */
  stat(path: string): FileStat | undefined;
  /** True when this process may write here, as far as the system can tell without a write. */
  mayWrite(path: string): boolean;
  /** Replaces the target atomically. */
  rename(from: string, to: string): void;
  /** Creates a second name for the same file. Fails with EEXIST, or, on file systems without links, with EPERM,
   *  ENOTSUP or ENOSYS. */
  link(existing: string, created: string): void;
  remove(path: string): void;
  list(folder: string): readonly string[];
  /** Makes the folder and its parents, private to the user. Does nothing when it exists. */
  makeFolder(path: string): void;
  /** Makes names that were created, renamed or removed in this folder durable. Does nothing on systems without such
   *  a call (Windows). */
  syncFolder(path: string): void;
}

export type OpenMode = 'read' | 'write' | 'create' | 'createNew';

export interface OpenFile {
  /** Returns the number of bytes read: fewer than requested only at the end of the file. */
  read(into: Uint8Array, position: number): number;
  /** Writes all bytes or throws; a failed write may have written a part. */
  write(from: Uint8Array, position: number): void;
  truncate(size: number): void;
  /** Makes content and size durable: after the return they survive a power cut. The name does so only after
   *  `syncFolder`. */
  sync(): void;
  size(): number;
  /** The same for every name and handle of one file, different for two files that exist at once. */
  identity(): string;
  /** True when no name leads to it any more: it was deleted, or another file took its name. */
  isUnlinked(): boolean;
  close(): void;
}

/** A file that no name on a disk leads to, for reading. */
export abstract class ReadOnlyFile implements OpenFile {
  abstract read(into: Uint8Array, position: number): number;
  abstract size(): number;
  abstract identity(): string;

  isUnlinked(): boolean {
    return false;
  }

  write(): void {
    throw new FileSystemError('EROFS', 'write', this.identity());
  }

  truncate(): void {
    throw new FileSystemError('EROFS', 'truncate', this.identity());
  }

  sync(): void {
    // Nothing is ever written.
  }

  close(): void {
    // Nothing to release.
  }
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  readonly identity: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** A failed call on a file system that is not Node's own. */
export class FileSystemError extends Error {
  override readonly name = 'FileSystemError';
  constructor(
    readonly code: string,
    operation: string,
    path: string,
    sentence = `${code}: ${operation} '${path}'`,
  ) {
    super(sentence);
  }
}

/** The errno name an error of a file system carries, or `EUNKNOWN`. */
export function errnoOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return 'EUNKNOWN';
}

/** Reads a small file whole. */
export function readWhole(fileSystem: FileSystem, path: string): Uint8Array {
  const file = fileSystem.open(path, 'read');
  try {
    return readOpen(file);
  } finally {
    file.close();
  }
}

export function readOpen(file: OpenFile): Uint8Array {
  const bytes = new Uint8Array(file.size());
  return bytes.subarray(0, file.read(bytes, 0));
}

/** Makes a new file with this content and syncs it. Fails with EEXIST rather than replace a file; removes the new
 *  file when it fails. */
export function writeNewFile(fileSystem: FileSystem, path: string, content: Uint8Array): void {
  const file = fileSystem.open(path, 'createNew');
  try {
    file.write(content, 0);
    file.sync();
  } catch (error) {
    file.close();
    fileSystem.remove(path);
    throw error;
  }
  file.close();
}

/** Writes a file that appears under its name whole or not at all, and is durable when this returns. Replaces an earlier
 *  one. Only one process at a time may write it. `content`: bytes, or what writes them durably to a new file. */
export function replaceFile(
  fileSystem: FileSystem,
  path: string,
  content: Uint8Array | ((unfinished: string) => void),
): void {
  const unfinished = `${path}.new`;
  // Left by a crash.
  if (fileSystem.stat(unfinished) !== undefined) fileSystem.remove(unfinished);
  if (content instanceof Uint8Array) writeNewFile(fileSystem, unfinished, content);
  else content(unfinished);
  fileSystem.rename(unfinished, path);
  fileSystem.syncFolder(dirname(path));
}

/** Names in a folder. None when it is not there or may not be read. */
export function namesIn(fileSystem: FileSystem, folder: string): readonly string[] {
  try {
    return fileSystem.list(folder);
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes(errnoOf(error))) return [];
    throw error;
  }
}

const blockBytes = 1 << 20;

/** Copies a file, block by block, to a path that does not exist. Removes the copy when it fails: on a full disk a part
 *  of one takes what room is left. Default: not synced. */
export function copyFile(fileSystem: FileSystem, from: string, to: string, isDurable = false): void {
  const source = fileSystem.open(from, 'read');
  try {
    const copy = fileSystem.open(to, 'createNew');
    try {
      copyContent(source, copy);
      if (isDurable) copy.sync();
    } catch (error) {
      copy.close();
      fileSystem.remove(to);
      throw error;
    }
    copy.close();
  } finally {
    source.close();
  }
}

export function copyContent(from: OpenFile, to: OpenFile): void {
  const block = new Uint8Array(blockBytes);
  for (let position = 0, read = from.read(block, 0); read > 0; position += read, read = from.read(block, position)) {
    to.write(block.subarray(0, read), position);
  }
}

/** Reads a small JSON file; undefined when there is none or it does not have this form. */
export function readRegister<T>(
  fileSystem: FileSystem,
  path: string,
  schema: v.GenericSchema<unknown, T>,
): T | undefined {
  if (fileSystem.stat(path) === undefined) return undefined;
  return parsedAs(schema, new TextDecoder().decode(readWhole(fileSystem, path))) ?? undefined;
}

/** Replaces the file, at once or not at all. */
export function writeRegister(fileSystem: FileSystem, path: string, content: unknown): void {
  fileSystem.makeFolder(dirname(path));
  replaceFile(fileSystem, path, new TextEncoder().encode(JSON.stringify(content, null, 2)));
}
