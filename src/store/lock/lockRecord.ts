import { parsedAs } from '../../transcript/json';
import * as v from 'valibot';
import { type FileSystem, type OpenFile, errnoOf } from '../engine/fileSystem';

const processIdentitySchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Start time of the process, in the format of its system. Together with the pid it identifies one process for
   *  ever. Null when it cannot be determined. */
  startedAt: v.nullable(v.string()),
  /** Changes with every boot of the machine. */
  boot: v.nullable(v.string()),
  /** Processes see each other's pids only within one namespace (a container has its own). */
  pidNamespace: v.nullable(v.string()),
  machine: v.nullable(v.string()),
  host: v.string(),
});

const lockRecordSchema = v.object({
  version: v.literal(1),
  owner: processIdentitySchema,
  /** Address at which to ask the owner for the store. */
  endpoint: v.nullable(v.object({ socketPath: v.string(), token: v.string() })),
  /** Rewritten with every heartbeat. Only the file's modification time counts, which the disk's own clock stamps. */
  heartbeat: v.number(),
});

export type ProcessIdentity = v.InferOutput<typeof processIdentitySchema>;
export type LockRecord = v.InferOutput<typeof lockRecordSchema>;
export type LockEndpoint = NonNullable<LockRecord['endpoint']>;

export function encodeLockRecord(record: LockRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}

/** Undefined for a file that is not a complete lock record, for example one that is still being written. */
function decodeLockRecord(bytes: Uint8Array): LockRecord | undefined {
  return parsedAs(lockRecordSchema, new TextDecoder().decode(bytes)) ?? undefined;
}

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
