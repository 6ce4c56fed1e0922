import { join } from 'node:path';
import type { FileSystem, OpenFile } from './fileSystem';
import { errnoOf, writeNewFile } from './fileSystem';

/** What the file layer shows to SQLite as one database. */
export interface DatabaseFiles {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly mainPath: string;
  /** The write-ahead log, under a name that no other SQLite looks for (docs/store.md). */
  readonly logPath: string;
  readonly readOnly: boolean;
  /** For reading a damaged file: bytes missing up to this size read as zeros, and this first page stands for the one on disk. */
  readonly repaired?: { readonly size: number; readonly firstPage?: Uint8Array };
}

/** The last call of the disk that failed, with the reason that SQLite's own message does not carry. */
export interface DiskFailure {
  readonly operation: string;
  readonly path: string;
  readonly errno: string;
}

export type FileRole = 'main' | 'log';

/** After how many commits the name of the log is looked at. */
const commitsPerLook = 32;

const zeros = new Uint8Array(16 * 4096);

/** One database while SQLite has it open: its files, and what went wrong with them. */
export class MountedDatabase {
  /** Set by the file layer when SQLite really opened the main file through us. */
  mainOpened = false;
  private looks = 0;
  private frozen = false;
  private readonly handles = new Map<FileRole, { readonly file: OpenFile; readonly identity: string }>();
  /** Bytes of the main file that a checkpoint can write without asking the disk for room. */
  private reserved = 0;
  private failure: DiskFailure | undefined;
  private syncFailure: DiskFailure | undefined;

  constructor(readonly files: DatabaseFiles) {}

  /** Whether SQLite is shown a database in write-ahead mode. A file that can only be read and has no log is shown as an ordinary one:
   *  there is nothing to recover, and write-ahead mode would have to create the log. */
  get writeAhead(): boolean {
    return !this.files.readOnly || this.sizeOf('log') > 0;
  }

  pathOf(role: FileRole): string {
    return role === 'main' ? this.files.mainPath : this.files.logPath;
  }

  sizeOf(role: FileRole): number {
    return this.files.fileSystem.stat(this.pathOf(role))?.size ?? 0;
  }

  open(role: FileRole): OpenFile {
    const mode = this.files.readOnly ? 'read' : role === 'log' ? 'create' : 'write';
    const file = this.files.fileSystem.open(this.pathOf(role), mode);
    this.handles.set(role, { file, identity: file.identity() });
    return file;
  }

  /** Makes the main file this long before the log takes a page of that end, so that a checkpoint never needs room: otherwise a log that has
   *  filled the disk could not be emptied, and nothing be saved until the person freed more than it. What is added is zeros behind the last page that
   *  SQLite counts; the next checkpoint writes or cuts it. Throws what the disk says. */
  reserve(size: number): void {
    const main = this.handles.get('main')?.file;
    if (main === undefined || size <= this.reserved) return;
    for (let end = main.size(); end < size; end += zeros.length) main.write(zeros.subarray(0, size - end), end);
    this.reserved = size;
  }

  /** The main file is this long now. */
  mainCut(size: number): void {
    this.reserved = size;
  }

  closed(role: FileRole): void {
    this.handles.delete(role);
  }

  /** The file under whose name something else lies now, or nothing: what is written goes where nobody will look for it. Asked at every commit,
   *  so it is one look at a name and one at a handle; a log that was moved, and not deleted, is noticed a few commits later, or when asked to look
   *  at every name. */
  displaced(names: 'most' | 'all' = 'most'): FileRole | null {
    if (!this.isInPlace('main')) return 'main';
    const log = this.handles.get('log');
    this.looks = (this.looks + 1) % commitsPerLook;
    return log?.file.isUnlinked() === true || ((names === 'all' || this.looks === 0) && !this.isInPlace('log'))
      ? 'log'
      : null;
  }

  private isInPlace(role: FileRole): boolean {
    const handle = this.handles.get(role);
    return handle === undefined || this.files.fileSystem.stat(this.pathOf(role))?.identity === handle.identity;
  }

  /** Copies the main file as it is seen through the open handle, wherever it lies by now, beside the one that took its name. */
  copyMain(): string {
    const { fileSystem, folder } = this.files;
    const main = this.handles.get('main')?.file;
    if (main === undefined) throw new Error('the main file is not open');
    for (let attempt = 1; ; attempt++) {
      const path = join(folder, `state.replaced-${attempt}.db`);
      if (fileSystem.stat(path) !== undefined) continue;
      const content = new Uint8Array(main.size());
      main.read(content, 0);
      writeNewFile(fileSystem, path, content);
      fileSystem.syncFolder(folder);
      return path;
    }
  }

  /** The newest failed call since the last `forgetFailure`, or a failed sync, which is never forgotten. */
  get diskFailure(): DiskFailure | undefined {
    return this.syncFailure ?? this.failure;
  }

  /** From now on the files stay as they are: closing will not write the log into the main file, nor remove it. For a file that turned out
   *  not to be ours to change. */
  freeze(): void {
    this.frozen = true;
  }

  get mayWrite(): boolean {
    return !this.files.readOnly && !this.frozen;
  }

  /** After a failed sync the system may have dropped the unwritten pages and report success the next time (the "fsyncgate" of 2018), so
   *  nothing more is written through this handle: the file has to be opened again. */
  get mustReopen(): boolean {
    return this.syncFailure !== undefined;
  }

  forgetFailure(): void {
    this.failure = undefined;
  }

  /** Returns the errno name. */
  recordFailure(operation: string, path: string, error: unknown): string {
    this.failure = { operation, path, errno: errnoOf(error) };
    if (operation === 'sync') this.syncFailure ??= this.failure;
    return this.failure.errno;
  }
}
