import { parsedAs, parsedJson } from '../../../transcript/json';
import { join } from 'node:path';
import { t } from '../../../base/translate';
import * as v from 'valibot';
import { errnoOf, readWhole, replaceFile, type FileSystem } from '../../../store/engine/fileSystem';
import { diskError } from '../../../store/engine/sqlFailure';
import type { ReadingDeps } from '../../../store/library/foreignStore';
import { acquireLock, type LockAttempt } from '../../../store/lock/acquireLock';
import { readHeader } from '../../../store/open/fileHeader';
import { stampOf, storeFiles } from '../../../store/open/storeFiles';
import { schemaVersion } from '../../../store/schema/migrations';
import { StoreError } from '../../../store/storeError';
import { chunkBytes, ChunkPool } from './chunkPool';
import { chunksOf, manifest, sessionEntries, type Backup, type SessionEntry, type StoredFile } from './manifest';

const manifestName = /^backup-(\d{8}T\d{9}Z)\.json$/;

/** Engine, disk and clock. `copies` is the folder for private copies. */
export interface BackupDeps extends ReadingDeps {
  /** Throws when the user stopped the work; called for each chunk. Default: never. Only for work that may end at any
   *  chunk: making, verifying and copying a backup. */
  readonly throwIfStopped?: () => void;
}

export interface BackupPlace {
  /** Folder of the store. */
  readonly store: string;
  /** Folder that holds backups of this store only. Created when it does not exist. */
  readonly backups: string;
}

/** Default folder for the backups of a store. */
export function defaultBackups(store: string): string {
  return join(store, 'backups');
}

/** The backups of one store in one folder. Use it for one operation: its pool remembers the chunks that it has read. */
export class BackupFolder {
  readonly pool: ChunkPool;

  constructor(
    readonly deps: BackupDeps,
    readonly place: BackupPlace,
  ) {
    this.pool = new ChunkPool(deps.fileSystem, join(this.path, 'chunks'), deps.throwIfStopped);
  }

  private get path(): string {
    return this.place.backups;
  }

  /** Runs work that changes the folder. Throws `locked` while another process does so, and a `StoreError` for a failure
   *  of the disk. */
  changing<T>(work: () => T): T {
    const { deps, path } = this;
    const acquire = (): LockAttempt => acquireLock({ ...deps, folder: path, path: join(path, 'backups.lock') });
    const first = acquire();
    // The first attempt clears what a process left that ended while it took over the lock.
    const attempt = first.kind === 'heldBy' ? acquire() : first;
    if (attempt.kind === 'heldBy')
      throw new StoreError(
        'locked',
        t('Another window is working on the backups of these sessions. Try again in a moment.'),
        `${path} is held by ${attempt.owner.description}`,
      );
    try {
      return work();
    } catch (error) {
      throw error instanceof StoreError || !isDiskError(error)
        ? error
        : diskError('write backups in', path, errnoOf(error));
    } finally {
      attempt.lock.release();
    }
  }

  /** Oldest first. A manifest that cannot be read is in `damaged`, by its file name. */
  list(): { readonly backups: readonly Backup[]; readonly damaged: readonly string[] } {
    const { fileSystem } = this.deps;
    if (fileSystem.stat(this.path) === undefined) return { backups: [], damaged: [] };
    const backups: Backup[] = [];
    const damaged: string[] = [];
    for (const name of [...fileSystem.list(this.path)].sort()) {
      const id = manifestName.exec(name)?.[1];
      if (id === undefined) continue;
      const found = parsedAs(manifest, new TextDecoder().decode(readWhole(fileSystem, join(this.path, name))));
      if (found === null) damaged.push(name);
      else backups.push({ id, manifest: found });
    }
    return { backups, damaged };
  }

  /** Throws `not-found`. */
  find(id: string): Backup {
    const found = this.list().backups.find((backup) => backup.id === id);
    if (found === undefined)
      throw new StoreError('not-found', t('This no longer exists.'), `there is no backup ${id} in ${this.path}`);
    return found;
  }

  /** Writes the manifest durably under its name, at once or not at all. Replaces an earlier one of this name. */
  write({ id, manifest: written }: Backup): void {
    replaceFile(this.deps.fileSystem, this.manifestPath(id), new TextEncoder().encode(JSON.stringify(written)));
  }

  remove(id: string): void {
    this.deps.fileSystem.remove(this.manifestPath(id));
  }

  /** A name that no backup of the folder has. `now` in seconds. */
  freeId(now: number): string {
    for (let at = now; ; at += 0.001) {
      const id = stampOf(at);
      if (this.deps.fileSystem.stat(this.manifestPath(id)) === undefined) return id;
    }
  }

  /** Removes chunks that no backup needs, unless a manifest cannot be read: a later version may have written it. */
  keepNeeded(): void {
    const { backups, damaged } = this.list();
    if (damaged.length === 0) this.pool.keepOnly(chunksOf(backups));
  }

  /** Bytes on disk that these chunks take. */
  storedBytes(hashes: ReadonlySet<string>): number {
    return [...hashes].reduce((bytes, hash) => bytes + this.pool.storedBytes(hash), 0);
  }

  /** Throws `DamagedChunk`. */
  sessionsIn({ manifest: { contents } }: Backup): readonly SessionEntry[] {
    const text = Buffer.concat(contents.chunks.map((hash) => this.pool.read(hash))).toString('utf8');
    return v.parse(sessionEntries, parsedJson(text));
  }

  /** Stores the list of sessions of a backup. */
  addSessions(sessions: readonly SessionEntry[]): StoredFile {
    const content = new TextEncoder().encode(JSON.stringify(sessions));
    const chunks: string[] = [];
    for (let at = 0; at < content.length; at += chunkBytes)
      chunks.push(this.pool.add(content.subarray(at, at + chunkBytes)));
    return { bytes: content.length, chunks };
  }

  private manifestPath(id: string): string {
    return join(this.path, `backup-${id}.json`);
  }
}

export function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

/** True if opening the store in this folder would migrate it. Reads the head of the file. Throws the disk's error. */
export function wouldMigrate(fileSystem: FileSystem, store: string): boolean {
  const { main } = storeFiles(store);
  if (fileSystem.stat(main) === undefined) return false;
  const header = readHeader(fileSystem, main);
  return header !== undefined && header.userVersion > 0 && header.userVersion < schemaVersion;
}
