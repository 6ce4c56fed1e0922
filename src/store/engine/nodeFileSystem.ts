import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { type FileStat, type FileSystem, type OpenFile, type OpenMode, errnoOf, FileSystemError } from './fileSystem';
import { notAFile } from '../../base/notAFile';

/** Errors that Windows gives while another program (a virus scanner, the search index, a backup) has the file open. */
const inUse: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES']);
/** Milliseconds between attempts: 0.7 s in all. Such programs let go of a file within some hundredths of a second. */
const pauses = [5, 10, 20, 40, 80, 160, 385];

/** Runs an operation on a file, again while another program has the file open. Only Windows refuses that; elsewhere it
 *  runs once. Throws the last error. */
export function whileInUse<T>(
  operation: () => T,
  {
    platform = process.platform,
    pause = blockThread,
  }: { platform?: NodeJS.Platform; pause?: (ms: number) => void } = {},
): T {
  for (const ms of platform === 'win32' ? pauses : []) {
    try {
      return operation();
    } catch (error) {
      if (!inUse.has(errnoOf(error))) throw error;
      pause(ms);
    }
  }
  return operation();
}

/** Blocks the thread for some milliseconds, between calls that are synchronous too. */
export function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const privateFile = 0o600;
const privateFolder = 0o700;

const openFlags: Record<OpenMode, number> = {
  // A file that became a pipe since it was looked at must not block the thread. Windows has no such flag.
  read: fs.constants.O_RDONLY | (process.platform === 'win32' ? 0 : fs.constants.O_NONBLOCK),
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT,
  createNew: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

/** The machine's own disk. */
export class NodeFileSystem implements FileSystem {
  open(path: string, mode: OpenMode): OpenFile {
    // Opening a pipe waits for its other end, and opening a device can have effects.
    if (mode === 'read' && this.stat(path)?.kind === 'other')
      throw new FileSystemError('EINVAL', 'open', path, notAFile(path));
    return new NodeFile(whileInUse(() => fs.openSync(path, openFlags[mode], privateFile)));
  }

  stat(path: string): FileStat | undefined {
    const stat = statOf(path);
    if (stat === undefined) return undefined;
    return {
      kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other',
      size: Number(stat.size),
      identity: identityOf(stat),
      modifiedAt: Number(stat.mtimeMs),
    };
  }

  mayWrite(path: string): boolean {
    try {
      fs.accessSync(path, fs.constants.W_OK);
      return true;
    } catch (error) {
      if (['EACCES', 'EROFS', 'EPERM'].includes(errnoOf(error))) return false;
      throw error;
    }
  }

  rename(from: string, to: string): void {
    whileInUse(() => fs.renameSync(from, to));
  }

  link(existing: string, created: string): void {
    fs.linkSync(existing, created);
  }

  remove(path: string): void {
    whileInUse(() => fs.unlinkSync(path));
  }

  list(folder: string): readonly string[] {
    return fs.readdirSync(folder);
  }

  makeFolder(path: string): void {
    try {
      fs.mkdirSync(path, { recursive: true, mode: privateFolder });
    } catch (error) {
      // Node's recursive mkdir fails with ENOENT on a read-only file system.
      if (errnoOf(error) === 'ENOENT' && !this.mayWrite(nearestExisting(path)))
        throw new FileSystemError('EROFS', 'mkdir', path);
      throw error;
    }
  }

  syncFolder(path: string): void {
    // Windows cannot open a folder for syncing; NTFS journals its names itself.
    if (process.platform === 'win32') return;
    const folder = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(folder);
    } catch (error) {
      // Some network file systems have no fsync for folders. There is no better call.
      if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errnoOf(error))) throw error;
    } finally {
      fs.closeSync(folder);
    }
  }
}

class NodeFile implements OpenFile {
  constructor(private readonly descriptor: number) {}

  read(into: Uint8Array, position: number): number {
    let done = 0;
    while (done < into.byteLength) {
      const count = fs.readSync(this.descriptor, into, done, into.byteLength - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  write(from: Uint8Array, position: number): void {
    let done = 0;
    while (done < from.byteLength) {
      done += fs.writeSync(this.descriptor, from, done, from.byteLength - done, position + done);
    }
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.descriptor, size);
  }

  // As SQLite's own files do: also the size, but not the times, which cost the file system a record of its own. libuv
  // turns it into F_FULLFSYNC on macOS, where a plain fsync leaves data in the drive's cache.
  sync(): void {
    fs.fdatasyncSync(this.descriptor);
  }

  size(): number {
    return fs.fstatSync(this.descriptor).size;
  }

  identity(): string {
    return identityOf(fs.fstatSync(this.descriptor, { bigint: true }));
  }

  isUnlinked(): boolean {
    return fs.fstatSync(this.descriptor).nlink === 0;
  }

  close(): void {
    fs.closeSync(this.descriptor);
  }
}

function statOf(path: string): fs.BigIntStats | undefined {
  try {
    return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // A file is at the place of one of the path's folders.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path);
  return parent === path || fs.existsSync(parent) ? parent : nearestExisting(parent);
}

function identityOf(stat: fs.BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}
