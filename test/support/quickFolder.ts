import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk in memory that every Linux has; containers give it little. */
const inMemory = '/dev/shm';
const enoughBytes = 512 * 1024 * 1024;

/** Makes a folder for a test that throws it away: in memory where there is room, so that nobody waits for a disk to keep it. Programs may not
 *  be allowed to start from there, and what tells of real disks has to be made on one. */
export function quickFolder(prefix: string): string {
  return mkdtempSync(join(hasSpace() ? inMemory : tmpdir(), prefix));
}

function hasSpace(): boolean {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= enoughBytes;
  } catch {
    return false;
  }
}
