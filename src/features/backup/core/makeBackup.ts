import { join } from 'node:path';
import { t } from '../../../base/translate';
import { storeError } from '../../../store/engine/sqlFailure';
import { storeFiles } from '../../../store/open/storeFiles';
import { StoreError } from '../../../store/storeError';
import type { BackupFolder } from './folder';
import { chunksOf, type Backup, type BackupReason, type StoredFile } from './manifest';
import { openStored } from './openedBackup';
import { readStore, sourceOf } from './storeReading';

const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
const month = 31 * day;

export interface RotatedBackup {
  readonly id: string;
  /** Seconds since 1970. */
  readonly madeAt: number;
  /** False for one that the user asked for, or that was made before a migration or a restore. */
  readonly isScheduled: boolean;
}

/** Backups to keep: the newest of each hour of the last day, of each day of the last week, and of each week of the last
 *  month. Those that were not made by the schedule are kept for a month. The newest is always kept. Then the oldest
 *  ones go until `bytesOf`, the room that the given backups take together, is at most `limit`. Pure. */
export function keptBackups(
  backups: readonly RotatedBackup[],
  now: number,
  limit: { readonly bytes: number; readonly bytesOf: (ids: readonly string[]) => number },
): readonly string[] {
  const newestFirst = [...backups].sort((one, other) => other.madeAt - one.madeAt || (one.id < other.id ? 1 : -1));
  const periods = new Set<string>();
  let kept = newestFirst
    .filter((backup, index) => {
      const isFirstOf = periodsOf(backup.madeAt, now).filter((period) => !periods.has(period));
      for (const period of isFirstOf) periods.add(period);
      return index === 0 || isFirstOf.length > 0 || (!backup.isScheduled && now - backup.madeAt < month);
    })
    .map(({ id }) => id);
  while (kept.length > 1 && limit.bytesOf(kept) > limit.bytes) kept = kept.slice(0, -1);
  return kept;
}

/** The hour, day and week that count for a backup of this age. A time in the future comes from a clock that was
 *  ahead, and counts as now. */
function periodsOf(madeAt: number, now: number): readonly string[] {
  const age = now - madeAt;
  const periods: string[] = [];
  if (age < day) periods.push(`hour ${Math.floor(madeAt / hour)}`);
  if (age < week) periods.push(`day ${Math.floor(madeAt / day)}`);
  if (age < month) periods.push(`week ${Math.floor(madeAt / week)}`);
  return periods;
}

export interface MakeBackup {
  readonly reason: BackupReason;
  /** Bytes that all backups of the folder may take. */
  readonly limitBytes: number;
}

export interface MadeBackup {
  readonly backup: Backup;
  /** False when nothing had changed since this backup was made. */
  readonly isNew: boolean;
  /** Ids of backups that were removed because newer ones take their place. */
  readonly removed: readonly string[];
}

/** Makes a backup of a store that may be in use: every commit before the call is in it. It is complete, durable and was
 *  opened and checked when this returns; until then nothing in the folder names it. Blocks; runs in a thread of its
 *  own. Throws a `StoreError`, after which the earlier backups are as they were. */
export function makeBackup(folder: BackupFolder, { reason, limitBytes }: MakeBackup): MadeBackup {
  const { deps, place, pool } = folder;
  return folder.changing(() => {
    removeUnfinished(folder);
    const { backups } = folder.list();
    const latest = backups.at(-1);
    const files = storeFiles(place.store);
    const source = sourceOf(deps.fileSystem, files);
    if (latest?.manifest.source === source) return { backup: latest, isNew: false, removed: [] };
    const earlier = chunksOf(backups);
    pool.expectDurable(earlier);
    try {
      const bytesBefore = folder.storedBytes(earlier);
      const main = readStore(deps, files, pool);
      if (latest !== undefined && isSame(latest.manifest.main, main))
        return { backup: latest, isNew: false, removed: [] };
      const backup = checkedBackup(folder, { main, reason, source, bytesBefore, others: backups });
      folder.write(backup);
      return { backup, isNew: true, removed: rotate(folder, [...backups, backup], limitBytes) };
    } catch (error) {
      removeUnneeded(folder);
      throw error;
    }
  });
}

/** Removes backups by the rules of `keptBackups`, and the chunks that no backup needs. */
function rotate(folder: BackupFolder, backups: readonly Backup[], limitBytes: number): readonly string[] {
  const { deps, place } = folder;
  const byId = new Map(backups.map((backup) => [backup.id, backup]));
  const kept = new Set(
    keptBackups(
      backups.map(({ id, manifest: { madeAt, reason } }) => ({ id, madeAt, isScheduled: reason === 'scheduled' })),
      deps.now(),
      {
        bytes: limitBytes,
        bytesOf: (ids) => folder.storedBytes(chunksOf(ids.flatMap((id) => byId.get(id) ?? []))),
      },
    ),
  );
  const removed = [...byId.keys()].filter((id) => !kept.has(id));
  for (const id of removed) folder.remove(id);
  // Before chunks are removed: a manifest that a power cut brings back would lack them.
  deps.fileSystem.syncFolder(place.backups);
  folder.keepNeeded();
  return removed;
}

interface ReadStore {
  readonly main: StoredFile;
  readonly reason: BackupReason;
  readonly source: string;
  readonly bytesBefore: number;
  readonly others: readonly Backup[];
}

/** Opens what was read, out of the pool, and checks it. */
function checkedBackup(folder: BackupFolder, { main, reason, source, bytesBefore, others }: ReadStore): Backup {
  const { deps, pool } = folder;
  const damaged = main.chunks.filter((hash) => !pool.isSound(hash));
  if (damaged.length > 0) throw storeError('unknown', `chunks cannot be read back: ${damaged.join()}`);
  const opened = openStored(folder, main);
  if (opened.problems.length > 0)
    throw new StoreError(
      'corrupt',
      t('No backup was made, because the file of your sessions is damaged. The earlier backups are kept.'),
      opened.problems.join('; '),
    );
  const contents = folder.addSessions(opened.sessions);
  pool.sync();
  const madeAt = deps.now();
  const backup: Backup = {
    id: folder.freeId(madeAt),
    manifest: {
      version: 1,
      madeAt,
      reason,
      source,
      main,
      contents,
      schemaVersion: opened.schemaVersion,
      sessions: opened.sessions.length,
      messages: opened.messages,
      addedBytes: 0,
    },
  };
  const addedBytes = folder.storedBytes(chunksOf([...others, backup])) - bytesBefore;
  return { ...backup, manifest: { ...backup.manifest, addedBytes: Math.max(0, addedBytes) } };
}

function isSame(one: StoredFile, other: StoredFile): boolean {
  return one.bytes === other.bytes && one.chunks.join() === other.chunks.join();
}

/** Gives back the room of a backup that failed. */
function removeUnneeded(folder: BackupFolder): void {
  try {
    folder.keepNeeded();
  } catch {
    // The next backup removes it.
  }
}

/** Removes manifests that a crash left half-written. */
function removeUnfinished({ deps: { fileSystem }, place: { backups } }: BackupFolder): void {
  for (const name of fileSystem.list(backups))
    if (/^backup-.*\.json\.new$/.test(name)) fileSystem.remove(join(backups, name));
}
