import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { t } from '../../base/translate';
import { type FileSystem, type OpenFile, errnoOf } from '../engine/fileSystem';
import { diskError } from '../engine/sqlFailure';
import { storeFiles } from '../open/storeFiles';
import { StoreError } from '../storeError';
import { HeldLock } from './heldLock';
import { judgeOwner, type ProcessTable } from './processLookup';
import { type FoundLock, identityAt, isStillOpen, readLock, removeIfThere } from './lockRecord';
import { type LockEndpoint, type LockRecord, encodeLockRecord } from './lockRecord';

interface AcquireLockOptions {
  readonly fileSystem: FileSystem;
  /** Made when it does not exist. */
  readonly folder: string;
  /** Path of the lock in the folder. Default: that of a store. */
  readonly path?: string;
  readonly processes: ProcessTable;
  /** Address at which another process can ask for the store. Default: none. */
  readonly endpoint?: LockEndpoint | null;
  /** Seconds since 1970; only informational in the record. */
  readonly now: () => number;
}

export interface LockOwner {
  readonly endpoint: LockEndpoint | null;
  /** True when this process can see if the owner lives; otherwise only the heartbeat shows it. */
  readonly visible: boolean;
  readonly description: string;
}

export type LockAttempt =
  { readonly kind: 'held'; readonly lock: HeldLock } | { readonly kind: 'heldBy'; readonly owner: LockOwner };

/** Milliseconds for which a lock without a complete record is respected: its maker may still be writing it. */
const unfinishedTimeoutMs = 10_000;
/** Minimum age, in milliseconds, of leftover files to remove: a crash while taking a lock leaves them. */
const leftoverAgeMs = 120_000;
const attempts = 50;

/** Takes the store's lock or returns its owner; never waits. The lock is a file that appears complete under its
 *  name, by link(2), for one process only. A lock whose owner is gone is removed first, under a guard that one
 *  process holds at a time, and only if it is still the file that was judged. Throws `StoreError`, `readOnly` when
 *  no lock can be written there. */
export function acquireLock({ endpoint = null, ...given }: AcquireLockOptions): LockAttempt {
  const { fileSystem, folder, processes, now, path = storeFiles(folder).lock } = given;
  const options = { ...given, path };
  try {
    fileSystem.makeFolder(folder);
    const record: LockRecord = { version: 1, owner: processes.self(), endpoint, heartbeat: now() };
    const candidatePath = `${path}.${record.owner.pid}-${randomUUID()}`;
    const candidate = fileSystem.open(candidatePath, 'createNew');
    let held = false;
    try {
      candidate.write(encodeLockRecord(record), 0);
      const attempt = new LockContest(options, record, candidate, candidatePath).run();
      held = attempt.kind === 'held';
      return attempt;
    } finally {
      removeIfThere(fileSystem, candidatePath);
      if (!held) candidate.close();
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const failure = diskError('lock', path, errnoOf(error));
    const owner = failure.causeClass === 'full' ? ownerSeen(options) : undefined;
    if (owner !== undefined) return { kind: 'heldBy', owner };
    throw failure;
  }
}

/** Returns true when a process that provably lives holds the lock. Writes nothing. */
export function isHeld(fileSystem: FileSystem, path: string, processes: ProcessTable): boolean {
  const record = readLock(fileSystem, path)?.record;
  if (record === undefined) return false;
  const { verdict, visible } = judgeOwner(record.owner, processes, 0);
  return visible && verdict === 'alive';
}

/** Finds the lock's owner without a write; undefined when there is none, or it is provably gone. An owner that cannot
 *  be seen counts as living: only the disk's own clock tells its age, and this machine's may differ by minutes. */
function ownerSeen({ fileSystem, path, processes }: ContestOptions): LockOwner | undefined {
  const found = readLock(fileSystem, path);
  return found === undefined ? undefined : livingOwner(found, 0, processes);
}

function takingOver(): LockOwner {
  return { endpoint: null, visible: true, description: t('a window that is just starting') };
}

/** Undefined when the lock's owner is gone. `age`: milliseconds since the last write to the lock. */
function livingOwner({ record }: FoundLock, age: number, processes: ProcessTable): LockOwner | undefined {
  if (record === undefined) return age > unfinishedTimeoutMs ? undefined : takingOver();
  const { owner, endpoint } = record;
  const { verdict, visible } = judgeOwner(owner, processes, age);
  if (verdict === 'gone') return undefined;
  const { host, pid } = owner;
  const description =
    host === processes.self().host
      ? t('process {pid} on this machine', { pid })
      : t('process {pid} on {host}', { pid, host });
  return { endpoint, visible, description };
}

type ContestOptions = Required<Omit<AcquireLockOptions, 'endpoint'>>;

/** One process's attempt to take the lock, with its candidate file. */
class LockContest {
  private readonly fileSystem: FileSystem;
  private readonly path: string;
  private readonly guardPath: string;

  constructor(
    private readonly options: ContestOptions,
    private readonly record: LockRecord,
    private readonly candidate: OpenFile,
    private readonly candidatePath: string,
  ) {
    this.fileSystem = options.fileSystem;
    this.path = options.path;
    this.guardPath = `${options.path}.takeover`;
  }

  run(): LockAttempt {
    try {
      return this.contest();
    } catch (error) {
      // On Windows, a file that was removed keeps its name until its owner, which may be asleep, closes it.
      if (!isStillOpen(error) || !this.fileSystem.mayWrite(this.options.folder)) throw error;
      return { kind: 'heldBy', owner: takingOver() };
    }
  }

  private contest(): LockAttempt {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const taken = this.take();
      if (taken !== undefined) {
        this.sweepLeftovers();
        return { kind: 'held', lock: new HeldLock(this.fileSystem, this.path, taken, this.record, this.options.now) };
      }
      const found = readLock(this.fileSystem, this.path);
      if (found === undefined) continue;
      const owner = this.livingOwner(found);
      if (owner !== undefined) return { kind: 'heldBy', owner };
      if (!this.removeStale(found)) return { kind: 'heldBy', owner: takingOver() };
    }
    return { kind: 'heldBy', owner: takingOver() };
  }

  /** Makes the lock ours unless there is one. On a file system without links the lock is empty for a moment; other
   *  processes then wait `unfinishedTimeoutMs` before they consider it stale. */
  private take(): OpenFile | undefined {
    try {
      this.fileSystem.link(this.candidatePath, this.path);
      return this.candidate;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'EEXIST') return undefined;
      // exFAT and some network and FUSE file systems do not support links.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EMLINK'].includes(errno)) throw error;
    }
    const file = this.createWhole(this.path);
    if (file !== undefined) this.candidate.close();
    return file;
  }

  /** Creates a file with this process's record; undefined when the file already exists. */
  private createWhole(path: string): OpenFile | undefined {
    let file: OpenFile;
    try {
      file = this.fileSystem.open(path, 'createNew');
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return undefined;
      throw error;
    }
    try {
      file.write(encodeLockRecord(this.record), 0);
      return file;
    } catch (error) {
      file.close();
      removeIfThere(this.fileSystem, path);
      throw error;
    }
  }

  /** Undefined when the lock's owner is gone. */
  private livingOwner(found: FoundLock): LockOwner | undefined {
    return livingOwner(found, this.ageOf(found), this.options.processes);
  }

  /** Milliseconds since the file was touched, by the clock of the disk that stamped both files: clocks of two
   *  machines may differ by minutes. */
  private ageOf(found: FoundLock): number {
    this.candidate.write(encodeLockRecord(this.record), 0);
    const now = this.fileSystem.stat(this.candidatePath)?.modifiedAt ?? found.modifiedAt;
    return now - found.modifiedAt;
  }

  /** Removes a stale lock. False when another process is already doing so. Checks the guard again right before the
   *  removal: a process that considered this guard stale has moved it away. */
  private removeStale(judged: FoundLock): boolean {
    const guard = this.takeGuard();
    if (guard === undefined) return false;
    const isGuarded = (): boolean => identityAt(this.fileSystem, this.guardPath) === guard.identity();
    try {
      if (readLock(this.fileSystem, this.path)?.identity === judged.identity && isGuarded())
        removeIfThere(this.fileSystem, this.path);
      return true;
    } finally {
      if (isGuarded()) removeIfThere(this.fileSystem, this.guardPath);
      guard.close();
    }
  }

  /** Undefined when another process has the guard. Moves away a guard left by a crash, which only one process can
   *  do; the next attempt takes it. */
  private takeGuard(): OpenFile | undefined {
    const guard = this.createWhole(this.guardPath);
    if (guard !== undefined) return guard;
    const found = readLock(this.fileSystem, this.guardPath);
    if (found !== undefined && this.livingOwner(found) === undefined) this.moveAway(found);
    return undefined;
  }

  private moveAway(deadGuard: FoundLock): void {
    const moved = `${this.candidatePath}.guard`;
    try {
      this.fileSystem.rename(this.guardPath, moved);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return;
      throw error;
    }
    if (this.fileSystem.stat(moved)?.identity === deadGuard.identity) removeIfThere(this.fileSystem, moved);
    else this.fileSystem.rename(moved, this.guardPath);
  }

  private sweepLeftovers(): void {
    const own = this.fileSystem.stat(this.candidatePath)?.modifiedAt ?? 0;
    const prefix = basename(this.path);
    for (const name of this.fileSystem.list(this.options.folder)) {
      if (!name.startsWith(`${prefix}.`)) continue;
      const path = join(this.options.folder, name);
      try {
        const stat = this.fileSystem.stat(path);
        if (stat !== undefined && own - stat.modifiedAt > leftoverAgeMs) removeIfThere(this.fileSystem, path);
      } catch {
        // Another program has it open. A later start removes it.
      }
    }
  }
}
