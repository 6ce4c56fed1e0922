import type { FileSystem, OpenFile } from './fileSystem';
import { errnoOf } from './fileSystem';

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

/** One database while SQLite has it open: its files, and what went wrong with them. */
export class MountedDatabase {
  /** Set by the file layer when SQLite really opened the main file through us. */
  mainOpened = false;
  private frozen = false;
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
    return this.files.fileSystem.open(this.pathOf(role), mode);
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
