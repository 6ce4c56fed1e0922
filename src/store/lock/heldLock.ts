import type { FileSystem, OpenFile } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import { diskError, storeError } from '../engine/sqlFailure';
import { identityAt, removeIfThere } from './lockRecord';
import type { LockRecord } from './lockRecord';
import { encodeLockRecord } from './lockRecord';

/** Checks, before every acknowledgement, that the lock file is still the one this process made. `fence` is its
 *  identity; another thread may use it too. Throws `replaced` when another file has its name, `deleted` when none
 *  has. Takes a few microseconds. */
export function assertFence(fileSystem: FileSystem, lockPath: string, fence: string): void {
  let identity: string | undefined;
  try {
    identity = identityAt(fileSystem, lockPath);
  } catch (error) {
    throw diskError('look at', lockPath, errnoOf(error));
  }
  if (identity === undefined) throw storeError('deleted', `${lockPath} is gone`);
  if (identity !== fence) throw storeError('replaced', `${lockPath} is another process's`);
}

/** Ownership of the store by this process, until it releases the lock or another process replaces it because it
 *  considered this one dead. */
export class HeldLock {
  readonly fence: string;
  private released = false;

  /** `file` stays open as long as the lock is held. The system reuses a file's number only when no process has it
   *  open, so the fence cannot match another process's lock. */
  constructor(
    private readonly fileSystem: FileSystem,
    private readonly path: string,
    private readonly file: OpenFile,
    private readonly record: LockRecord,
    private readonly now: () => number,
  ) {
    this.fence = file.identity();
  }

  /** Throws `replaced` when another process holds the store or this one has released it, and `deleted` when the
   *  lock's file is gone. */
  assertHeld(): void {
    if (this.released) throw storeError('replaced', `${this.path} was released`);
    assertFence(this.fileSystem, this.path, this.fence);
  }

  /** Shows processes that cannot see this one that it is alive. Call it every 15 s. Throws like `assertHeld`. */
  heartbeat(): void {
    this.assertHeld();
    const bytes = encodeLockRecord({ ...this.record, heartbeat: this.now() });
    try {
      this.file.write(bytes, 0);
      this.file.truncate(bytes.length);
    } catch (error) {
      throw diskError('heartbeat', this.path, errnoOf(error));
    }
  }

  /** Releases the lock. Keeps a lock that another process has taken since. Safe to call twice. */
  release(): void {
    if (this.released) return;
    this.released = true;
    try {
      if (identityAt(this.fileSystem, this.path) === this.fence) removeIfThere(this.fileSystem, this.path);
    } catch (error) {
      throw diskError('release', this.path, errnoOf(error));
    } finally {
      this.file.close();
    }
  }
}
