import type { FileSystem, OpenFile } from './fileSystem';
import { errnoOf } from './fileSystem';
import { MeasuredFile } from './measuredFile';

/** What the file layer shows to SQLite as one database. */
export interface DatabaseFiles {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly mainPath: string;
  /** The write-ahead log, under a name that no other SQLite looks for (docs/store.md). */
  readonly logPath: string;
  readonly readOnly: boolean;
  /** Where a copy of a database is kept that lost its files and whose own folder takes none, best first. */
  readonly rescueFolders?: readonly string[];
  /** For reading a damaged file: bytes missing up to this size read as zeros, and this first page stands for the one on disk. */
  readonly repaired?: { readonly size: number; readonly firstPage?: Uint8Array };
  /** Where an image of the database goes when another program has cut one of its files short. Without it none is kept. */
  readonly imagePath?: () => string;
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
  /** Set while an image is made: what is missing of a file that was cut short is shown as zeros. */
  showsZeros = false;
  private readonly handles = new Map<FileRole, { readonly file: MeasuredFile; readonly identity: string }>();
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
    const path = this.pathOf(role);
    const file = new MeasuredFile(this.files.fileSystem.open(path, mode), path);
    this.handles.set(role, { file, identity: file.identity() });
    return file;
  }

  /** Makes the main file this long before the log takes a page of that end, so that a checkpoint never needs room: otherwise a log that has
   *  filled the disk could not be emptied, and nothing be saved until the person freed more than it. What is added is zeros behind the last page that
   *  SQLite counts; the next checkpoint writes or cuts it. Throws what the disk says. */
  reserve(size: number): void {
    const main = this.handles.get('main')?.file;
    if (main === undefined) return;
    for (let end = main.leastSize; end < size; end += zeros.length) main.write(zeros.subarray(0, size - end), end);
  }

  /** The file that SQLite reads and writes now. */
  fileOf(role: FileRole): OpenFile {
    const file = this.handles.get(role)?.file;
    if (file === undefined) throw new Error(`the ${role} file is not open`);
    return file;
  }

  /** From now on SQLite reads and writes `copy`, which holds what the main file does. The file that was opened stays as it is, and what its name
   *  leads to still counts as another one. */
  leadMainTo(copy: OpenFile): void {
    const opened = this.handles.get('main');
    if (opened === undefined) throw new Error('the main file is not open');
    this.handles.set('main', { file: new MeasuredFile(copy, this.files.mainPath), identity: opened.identity });
    opened.file.close();
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

  /** The file that another program has cut short. What is missing may still be in SQLite's memory or in the other file. */
  cutShort(): FileRole | null {
    const roles: readonly FileRole[] = ['main', 'log'];
    return roles.find((role) => this.handles.get(role)?.file.isCutShort() === true) ?? null;
  }

  /** Bytes of the main file and the log together, as they were before anything was cut off. */
  get leastSize(): number {
    return [...this.handles.values()].reduce((sum, { file }) => sum + file.leastSize, 0);
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
