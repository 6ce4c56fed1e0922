import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { t } from '../../base/translate';
import { notAFile } from '../../base/notAFile';
import { copyFile, errnoOf, type FileSystem } from '../engine/fileSystem';
import { diskError, storeError } from '../engine/sqlFailure';
import { acquireLock } from '../lock/acquireLock';
import type { HeldLock } from '../lock/heldLock';
import type { ProcessTable } from '../lock/processLookup';
import { storeFiles, type StoreFiles } from '../open/storeFiles';
import { StoreError } from '../storeError';
import { isOneMoment, stampOfStore } from './storeStamp';

/** Bytes of file and log. A made-up file of any size takes no room until it is copied. */
const mostCopied = 16 * 2 ** 30;
const attempts = 20;
/** Milliseconds; worst precision of a time stamp. A file that was written less than this before it was examined may
 *  be written again without a new time stamp. */
const stampExactMs = 100;
const pauseMs = 120;

export interface CopyDeps {
  readonly fileSystem: FileSystem;
  readonly processes: ProcessTable;
  /** Reads a time in seconds since 1970. */
  readonly now: () => number;
  /** Blocks the thread for this time. */
  readonly pause: (milliseconds: number) => void;
  /** Folder for the private copies; made when it does not exist. */
  readonly copies: string;
}

/** A private copy of a store, locked by this process until it is removed. */
export interface StoreCopy {
  readonly folder: string;
  remove(): void;
}

/** Copies a store's file and log as of one moment, even while their owner writes. Writes nothing in the store's
 *  folder. Throws `not-found` when there is no store, `locked` when it was written to all the time. */
export function copyStore(deps: CopyDeps, folder: string): StoreCopy {
  return copyDatabase(deps, storeFiles(folder));
}

/** As `copyStore`, for a database whose files may have other names. The copy's files have the names of a store. */
export function copyDatabase(deps: CopyDeps, from: Pick<StoreFiles, 'folder' | 'main' | 'log'>): StoreCopy {
  return filledCopy(deps, from.folder, (target) => copyOneMoment(deps, from, target));
}

/** A private copy whose files `fill` writes into the given folder. `source` names the original in errors. */
export function filledCopy(deps: CopyDeps, source: string, fill: (target: string) => void): StoreCopy {
  const target = join(deps.copies, randomUUID());
  const lock = holdFolder(deps, target);
  const copy = { folder: target, remove: () => removeCopy(lock, target) };
  try {
    fill(target);
    deps.fileSystem.syncFolder(target);
    return copy;
  } catch (error) {
    copy.remove();
    throw error instanceof StoreError ? error : diskError('copy the store of', source, errnoOf(error));
  }
}

/** Removes copies left by processes that are gone. */
export function sweepCopies(deps: CopyDeps): void {
  for (const name of namesIn(deps.copies)) {
    const folder = join(deps.copies, name);
    try {
      const attempt = acquireLock({ ...deps, folder });
      if (attempt.kind === 'held') removeCopy(attempt.lock, folder);
    } catch (error) {
      // A copy that cannot be removed now is retried next time.
      if (!(error instanceof StoreError)) throw error;
    }
  }
}

function copyOneMoment(deps: CopyDeps, from: Pick<StoreFiles, 'folder' | 'main' | 'log'>, target: string): void {
  const to = storeFiles(target);
  refuseUnfit(deps.fileSystem, from);
  readOneMoment(deps, from, () => {
    replaceFile(deps.fileSystem, from.main, to.main);
    replaceFile(deps.fileSystem, from.log, to.log);
  });
}

/** Refuses pipes, devices and folders, which have no size, and what would fill the disk. */
function refuseUnfit(fileSystem: FileSystem, { main, log }: Pick<StoreFiles, 'main' | 'log'>): void {
  const found = [main, log].map((path) => ({ path, stat: fileSystem.stat(path) }));
  const other = found.find(({ stat }) => stat !== undefined && stat.kind !== 'file');
  if (other !== undefined) throw new StoreError('invalid', notAFile(other.path), `${other.path} is no file`);
  const bytes = found.reduce((sum, { stat }) => sum + (stat?.size ?? 0), 0);
  if (bytes > mostCopied)
    throw new StoreError(
      'invalid',
      t('{path} is too large to be read (more than {size} GB).', { path: main, size: String(mostCopied / 2 ** 30) }),
      `${main} has ${bytes} bytes`,
    );
}

/** Calls `read`, which reads the main file and then the log, until what it read is of one moment. */
export function readOneMoment<T>(
  { fileSystem, pause }: Pick<CopyDeps, 'fileSystem' | 'pause'>,
  from: Pick<StoreFiles, 'folder' | 'main' | 'log'>,
  read: () => T,
): T {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const lookedAt = Date.now();
    const before = stampOfStore(fileSystem, from);
    if (before.main === null) throw storeError('not-found', `there is no ${from.main}`);
    if (before.log !== null || lookedAt - before.mainModifiedAt > stampExactMs) {
      const value = read();
      if (isOneMoment(before, stampOfStore(fileSystem, from))) return value;
    }
    pause(pauseMs);
  }
  throw new StoreError(
    'locked',
    t('These sessions are busy, so they couldn’t be read. Try again in a moment.'),
    `${from.folder} changed during ${attempts} copies`,
  );
}

/** Replaces the result of an earlier attempt. Skips a file that does not exist. */
function replaceFile(fileSystem: FileSystem, from: string, to: string): void {
  if (fileSystem.stat(to) !== undefined) fileSystem.remove(to);
  if (fileSystem.stat(from) !== undefined) copyFile(fileSystem, from, to);
}

function holdFolder(deps: CopyDeps, folder: string): HeldLock {
  const attempt = acquireLock({ ...deps, folder });
  if (attempt.kind === 'heldBy') throw storeError('locked', `${folder} is held by ${attempt.owner.description}`);
  return attempt.lock;
}

/** Removes the lock last, so that a concurrent sweep finds the folder locked. */
function removeCopy(lock: HeldLock, folder: string): void {
  const held = storeFiles(folder).lock;
  try {
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      if (path !== held) rmSync(path, { force: true, recursive: true });
    }
    lock.release();
    rmSync(folder, { force: true, recursive: true });
  } catch (error) {
    throw error instanceof StoreError ? error : diskError('remove the copy', folder, errnoOf(error));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw diskError('look into', folder, errnoOf(error));
  }
}
