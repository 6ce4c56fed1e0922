import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { defaultBackups, type BackupDeps, type BackupPlace } from '../../../../../src/features/backup/core/folder';
import { Backups } from '../../../../../src/features/backup/core/backups';
import type { FileSystem } from '../../../../../src/store/engine/fileSystem';
import { NodeFileSystem } from '../../../../../src/store/engine/nodeFileSystem';
import { SystemProcessTable } from '../../../../../src/store/lock/processLookup';
import type { OpenedStore } from '../../../../../src/store/worker/openedStore';
import { openSessionStore } from '../../../../../src/store/worker/openedStore';
import { testSqlite } from '../../../../support/sqlite';
import { testTime } from '../../../../support/testStore';

export const gigabyte = 1 << 30;
export const scheduled = { reason: 'scheduled', limitBytes: gigabyte } as const;

/** A store on the real disk and its backups. */
export interface BackupWorld {
  readonly root: string;
  readonly place: BackupPlace;
  readonly deps: BackupDeps;
  readonly backups: Backups;
  readonly clock: { now: number };
  /** Backups of the same store over another disk or in another folder. */
  over(change: { readonly fileSystem?: FileSystem; readonly backups?: string }): Backups;
  /** Opens the store without a lock; whoever opens it closes it. */
  open(folder?: string): OpenedStore;
  /** Every byte below a folder, with chunks inflated, as one text. */
  everyByteOf(folder: string): string;
  /** Names of files below the backups' folder. */
  files(): readonly string[];
  remove(): void;
}

export async function backupWorld(): Promise<BackupWorld> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-backups-'));
  const sqlite = await testSqlite();
  const clock = { now: testTime };
  const store = join(root, 'store');
  const place = { store, backups: defaultBackups(store) };
  const fileSystem = new NodeFileSystem();
  const deps: BackupDeps = {
    sqlite,
    fileSystem,
    processes: new SystemProcessTable(),
    now: () => clock.now,
    pause: (milliseconds) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
    copies: join(root, 'copies'),
  };
  const below = (folder: string): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile())
      .sort();
  return {
    root,
    place,
    deps,
    clock,
    backups: new Backups(deps, place),
    over: ({ fileSystem: disk = fileSystem, backups = place.backups }) =>
      new Backups({ ...deps, fileSystem: disk }, { ...place, backups }),
    open: (folder = store) =>
      openSessionStore(
        { sqlite, fileSystem, now: deps.now },
        { folder, salvage: false, ...fenceOf(fileSystem, folder) },
      ),
    everyByteOf: (folder) =>
      below(folder)
        .map((path) => `${path}\n${plain(path)}`)
        .join('\n'),
    files: () => below(place.backups).map((path) => path.slice(place.backups.length + 1)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A lock file of the test's own, which the store takes for its owner's. */
function fenceOf(fileSystem: FileSystem, folder: string): { readonly fence: string } {
  fileSystem.makeFolder(folder);
  const lock = fileSystem.open(join(folder, 'state.db.lock'), 'create');
  const fence = lock.identity();
  lock.close();
  return { fence };
}

function plain(path: string): string {
  const bytes = readFileSync(path);
  if (!path.includes('chunks')) return bytes.toString('latin1');
  try {
    return inflateRawSync(bytes).toString('latin1');
  } catch {
    return bytes.toString('latin1');
  }
}
