import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../../base/clock';
import { pause } from '../../../base/pause';
import { errnoOf, type FileSystem, readWhole, writeNewFile } from '../../../store/engine/fileSystem';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import { acquireLock } from '../../../store/lock/acquireLock';
import type { HeldLock } from '../../../store/lock/heldLock';
import { type ProcessTable, SystemProcessTable } from '../../../store/lock/processLookup';
import { stampOf } from '../../../store/open/storeFiles';
import { StoreError } from '../../../store/storeError';

export interface MemoryDisk {
  readonly fileSystem: FileSystem;
  readonly processes: ProcessTable;
  readonly clock: Clock;
  /** Part of a file name that no other process uses. */
  readonly uniqueName: () => string;
}

/** The disk of this machine. */
export function memoryDisk(clock: Clock): MemoryDisk {
  return { fileSystem: new NodeFileSystem(), processes: new SystemProcessTable(), clock, uniqueName: randomUUID };
}

/** A file could not be changed, with the reason in words that a model and a user can act on. Nothing was changed. */
export class MemoryFileError extends Error {
  override readonly name = 'MemoryFileError';
}

/** Milliseconds to wait for another window's write, and between two attempts. A write takes milliseconds. */
const waits = { lockMs: 5000, againMs: 40 } as const;

/** One file of remembered entries. Windows and agents that write at the same time take turns with a lock file next
 *  to it. A write replaces the whole file and is on disk when it resolves. A reader sees either the whole old
 *  version or the whole new one. */
export class MemoryFile {
  constructor(
    readonly path: string,
    private readonly disk: MemoryDisk,
    /** True for a text that this class did not write and that a rewrite would damage. */
    private readonly isForeign: (text: string) => boolean,
  ) {}

  /** Returns an empty text when there is no file. Throws `MemoryFileError`. */
  read(): string {
    return new TextDecoder().decode(this.bytes());
  }

  /** Creates an empty file if there is none. Throws `MemoryFileError`. */
  create(): void {
    const { fileSystem } = this.disk;
    this.attempt('made', () => {
      fileSystem.makeFolder(dirname(this.path));
      if (fileSystem.stat(this.path) === undefined) writeNewFile(fileSystem, this.path, new Uint8Array());
    });
  }

  /** `change` receives the newest text and returns the next one. Returning the same text changes nothing. An error
   *  that it throws is passed on, and nothing is changed. Rejects with `MemoryFileError`. */
  async edit(change: (text: string) => string): Promise<void> {
    const lock = await this.lock();
    try {
      const before = this.bytes();
      const text = this.own(before);
      const next = change(text);
      if (next !== text) this.replace(before, next);
    } finally {
      lock.release();
    }
  }

  /** Returns the text if it can be rewritten without loss. Otherwise keeps a copy and throws `MemoryFileError`, so
   *  that the user can check the file. */
  private own(bytes: Uint8Array): string {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (!this.isForeign(text)) return text;
    } catch {
      // Text that is not UTF-8 also comes from another program.
    }
    const copy = this.attempt('copied', () => this.keepCopy(bytes));
    throw new MemoryFileError(
      `${basename(this.path)} was changed by hand or by another program into something that a rewrite would not ` +
        'keep (an entry longer than the whole file may be, or text that is not UTF-8). Nothing was changed, and a ' +
        `copy is in ${copy}. Ask the person to tidy it with the command Open Memory; entries are separated by a ` +
        'line with only "§".',
    );
  }

  private keepCopy(bytes: Uint8Array): string {
    const { fileSystem, clock } = this.disk;
    const folder = dirname(this.path);
    const prefix = `${basename(this.path)}.bak.`;
    const copies = fileSystem.list(folder).filter((name) => name.startsWith(prefix));
    const known = copies.find((name) => isSame(readWhole(fileSystem, join(folder, name)), bytes));
    if (known !== undefined) return known;
    const name = `${prefix}${stampOf(clock.now())}`;
    writeNewFile(fileSystem, join(folder, name), bytes);
    return name;
  }

  private replace(before: Uint8Array, text: string): void {
    const { fileSystem, uniqueName } = this.disk;
    const written = `${this.path}.${uniqueName()}.tmp`;
    this.attempt('written', () => writeNewFile(fileSystem, written, new TextEncoder().encode(text)));
    try {
      // Text editors ignore the lock.
      if (!isSame(this.bytes(), before))
        throw new MemoryFileError(
          `${basename(this.path)} was changed by something else at the same moment. Nothing was changed; try again.`,
        );
      this.attempt('replaced', () => fileSystem.rename(written, this.path));
    } catch (error) {
      fileSystem.remove(written);
      throw error;
    }
    this.attempt('written', () => fileSystem.syncFolder(dirname(this.path)));
  }

  private bytes(): Uint8Array {
    const { fileSystem } = this.disk;
    return this.attempt('read', () => {
      try {
        return readWhole(fileSystem, this.path);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return new Uint8Array();
        throw error;
      }
    });
  }

  private async lock(): Promise<HeldLock> {
    const { clock } = this.disk;
    for (let waited = 0; ; waited += waits.againMs) {
      const attempt = this.tryLock();
      if (attempt.kind === 'held') return attempt.lock;
      if (waited >= waits.lockMs)
        throw new MemoryFileError(
          `${basename(this.path)} is being written by another window. Nothing was changed; try again.`,
        );
      await pause(clock, waits.againMs);
    }
  }

  private tryLock(): ReturnType<typeof acquireLock> {
    const { fileSystem, processes, clock } = this.disk;
    const [folder, path] = [dirname(this.path), `${this.path}.lock`];
    return this.attempt('locked', () => acquireLock({ fileSystem, processes, folder, path, now: () => clock.now() }));
  }

  private attempt<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof MemoryFileError) throw error;
      const reason = error instanceof StoreError ? error.message : errnoOf(error);
      throw new MemoryFileError(`${basename(this.path)} couldn’t be ${what} (${reason}).`, { cause: error });
    }
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
