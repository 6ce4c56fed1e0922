import type { FileSystem, OpenFile } from '../engine/fileSystem';
import { errnoOf } from '../engine/fileSystem';
import type { LockRecord } from './lockRecord';
import { decodeLockRecord } from './lockRecord';

/** A lock found on disk. */
export interface FoundLock {
  /** Identifies this one file; a later lock is another file. */
  readonly identity: string;
  /** Undefined while the file is being written, or when a power cut left it empty. */
  readonly record: LockRecord | undefined;
  readonly modifiedAt: number;
}

/** Undefined when there is no lock. */
export function readLock(fileSystem: FileSystem, path: string): FoundLock | undefined {
  let file: OpenFile;
  try {
    file = fileSystem.open(path, 'read');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = new Uint8Array(Math.min(file.size(), 65_536));
    const record = decodeLockRecord(bytes.subarray(0, file.read(bytes, 0)));
    const stat = fileSystem.stat(path);
    // Replaced between the two calls: the caller retries.
    if (stat === undefined || stat.identity !== file.identity()) return undefined;
    return { identity: stat.identity, record, modifiedAt: stat.modifiedAt };
  } finally {
    file.close();
  }
}

/** Identity of the file at this path. Undefined: there is none, or, on Windows, it was removed and keeps its name until
 *  its last user closes it. */
export function identityAt(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return fileSystem.stat(path)?.identity;
  } catch (error) {
    if (!isStillOpen(error)) throw error;
    return undefined;
  }
}

/** Returns true for the errors that Windows gives while another process has the file open. */
export function isStillOpen(error: unknown): boolean {
  return ['EPERM', 'EBUSY'].includes(errnoOf(error));
}

/** Removes a file that another process may already have removed. */
export function removeIfThere(fileSystem: FileSystem, path: string): void {
  try {
    fileSystem.remove(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
