import { convertEarlierLog, openLog } from './earlierLog';
import { type FileSystem, type OpenFile, errnoOf, FileSystemError } from './fileSystem';

/** An open file. `least`: bytes that must be there unless another program removed them. That is its size at opening,
 *  changed by writes and truncations through this handle. */
interface Handle {
  readonly file: OpenFile;
  readonly identity: string;
  least: number;
}

function isCutShort({ file, least }: Handle): boolean {
  return file.size() < least;
}

/** The files that the file layer presents to SQLite as one database. */
export interface DatabaseFiles {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly mainPath: string;
  /** The write-ahead log, under a name that no other SQLite looks for (docs/store.md). */
  readonly logPath: string;
  readonly readOnly: boolean;
  /** Folders, best first, for the copy of a database that lost its files and whose own folder cannot take the copy. */
  readonly rescueFolders?: readonly string[];
  /** For reading a damaged file: bytes missing up to this size read as zeros, and this first page replaces the one
   *  on disk. */
  readonly repaired?: { readonly size: number; readonly firstPage?: Uint8Array };
  /** Path for an image of the database when another program has cut one of its files short. Without it no image is
   *  kept. */
  readonly imagePath?: () => string;
}

/** The last disk call that failed, with the reason that SQLite's own message does not carry. */
export interface DiskFailure {
  readonly operation: string;
  readonly path: string;
  readonly errno: string;
}

export type FileRole = 'main' | 'log';

/** Commits between two checks of the log's name. */
const commitsPerCheck = 32;

const zeros = new Uint8Array(16 * 4096);

/** One database while SQLite has it open: its files and their failures. */
export class MountedDatabase {
  /** Set by the file layer when SQLite really opened the main file through this layer. */
  mainOpened = false;
  private commitsSinceCheck = 0;
  private frozen = false;
  /** True while an image is made: missing bytes of a file that was cut short read as zeros. */
  showsZeros = false;
  private readonly handles = new Map<FileRole, Handle>();
  private failure: DiskFailure | undefined;
  private syncFailure: DiskFailure | undefined;

  constructor(readonly files: DatabaseFiles) {}

  /** True when SQLite sees a database in write-ahead mode. A file that is read-only and has no log is presented as
   *  an ordinary one: there is nothing to recover, and write-ahead mode would have to create the log. */
  get writeAhead(): boolean {
    return !this.files.readOnly || this.sizeOf('log') > 0;
  }

  pathOf(role: FileRole): string {
    return role === 'main' ? this.files.mainPath : this.files.logPath;
  }

  sizeOf(role: FileRole): number {
    return this.files.fileSystem.stat(this.pathOf(role))?.size ?? 0;
  }

  open(role: FileRole): void {
    const file = this.openAs(role, this.pathOf(role));
    this.handles.set(role, { file, identity: file.identity(), least: file.size() });
  }

  private openAs(role: FileRole, path: string): OpenFile {
    const { fileSystem, readOnly } = this.files;
    if (role === 'main') return fileSystem.open(path, readOnly ? 'read' : 'write');
    if (readOnly) return openLog(fileSystem, path);
    convertEarlierLog(fileSystem, path);
    return fileSystem.open(path, 'create');
  }

  /** Extends the main file to this length before the log takes a page of that end, so that a checkpoint never needs
   *  space. Otherwise a log that has filled the disk could not be emptied, and nothing could be saved until the user
   *  freed more space than the log needs. Adds zeros after the last page that SQLite counts; the next checkpoint
   *  writes or truncates them. Throws the disk's error. */
  reserve(size: number): void {
    const main = this.handles.get('main');
    if (main === undefined) return;
    for (let end = main.least; end < size; end += zeros.length) this.write('main', zeros.subarray(0, size - end), end);
  }

  write(role: FileRole, from: Uint8Array, position: number): void {
    const handle = this.wholeHandle(role, 'write');
    handle.file.write(from, position);
    handle.least = Math.max(handle.least, position + from.length);
  }

  truncate(role: FileRole, size: number): void {
    const handle = this.wholeHandle(role, 'truncate');
    handle.file.truncate(size);
    handle.least = size;
  }

  /** Refuses a change that would hide a truncation by another program: beyond the end of the file the disk would show
   *  zeros. */
  private wholeHandle(role: FileRole, operation: string): Handle {
    const handle = this.handleOf(role);
    if (isCutShort(handle)) throw new FileSystemError('ECUTSHORT', operation, this.pathOf(role));
    return handle;
  }

  private handleOf(role: FileRole): Handle {
    const handle = this.handles.get(role);
    if (handle === undefined) throw new Error(`the ${role} file is not open`);
    return handle;
  }

  /** The file that SQLite currently reads and writes. */
  fileOf(role: FileRole): OpenFile {
    return this.handleOf(role).file;
  }

  /** Redirects SQLite to `copy`, which has the same content as the main file. The file that was opened stays as it
   *  is, and the file at its name still counts as a different one. */
  leadMainTo(copy: OpenFile): void {
    const { identity, file } = this.handleOf('main');
    this.handles.set('main', { file: copy, identity, least: copy.size() });
    file.close();
  }

  closed(role: FileRole): void {
    this.handles.delete(role);
  }

  /** The role of a file whose name now belongs to another file or to none, else null: writes to it would be lost.
   *  Called at every commit, so it costs one look at a name and one at a handle. A log that was moved, and not
   *  deleted, is noticed a few commits later, or with `names` = `all`. */
  displaced(names: 'most' | 'all' = 'most'): FileRole | null {
    if (!this.isInPlace('main')) return 'main';
    const log = this.handles.get('log');
    this.commitsSinceCheck = (this.commitsSinceCheck + 1) % commitsPerCheck;
    return log?.file.isUnlinked() === true ||
      ((names === 'all' || this.commitsSinceCheck === 0) && !this.isInPlace('log'))
      ? 'log'
      : null;
  }

  private isInPlace(role: FileRole): boolean {
    const handle = this.handles.get(role);
    return handle === undefined || this.files.fileSystem.stat(this.pathOf(role))?.identity === handle.identity;
  }

  /** The role of a file that another program has cut short, else null. The missing bytes may still be in SQLite's
   *  memory or in the other file. */
  cutShort(): FileRole | null {
    return [...this.handles].find(([, handle]) => isCutShort(handle))?.[0] ?? null;
  }

  /** Bytes of the main file and the log together, as they were before another program truncated them. */
  get leastSize(): number {
    return [...this.handles.values()].reduce((sum, { least }) => sum + least, 0);
  }

  /** The newest failed call since the last `forgetFailure`, or a failed sync, which is never forgotten. */
  get diskFailure(): DiskFailure | undefined {
    return this.syncFailure ?? this.failure;
  }

  /** Makes the files read-only from now on: closing will neither write the log into the main file nor remove it. For
   *  a file that turned out not to be ours to change. */
  freeze(): void {
    this.frozen = true;
  }

  get mayWrite(): boolean {
    return !this.files.readOnly && !this.frozen;
  }

  /** True after a failed sync. The system may have dropped the unwritten pages and report success the next time (the
   *  "fsyncgate" of 2018), so nothing more is written through this handle: the file has to be reopened. */
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
