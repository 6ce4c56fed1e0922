import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BackupSettings } from '../../../../../src/features/backup/host/storeBackups';
import { StoreBackups } from '../../../../../src/features/backup/host/storeBackups';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../support/storeWorker';
import { backupWorld, type BackupWorld } from '../core/backupWorld';
import { converse } from '../../../store/library/libraryWorld';
import { RecordingLog } from '../../../host/recordingLog';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker({ backupWorker: 'src/features/backup/core/backupWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  const owner = world.open();
  converse(owner.operations, 's1', 'Words of s1');
  owner.close();
});
afterEach(() => world.remove());

it('backups of a window are made in a thread, in the folder that the settings name at that time', async () => {
  const { store } = world.place;
  const disk = join(world.root, 'disk');
  mkdirSync(disk);
  const beside: BackupSettings = { backupsEnabled: true, backupsFolder: null };
  const settings = { current: beside };
  const backups = new StoreBackups({
    context: { globalStorageUri: { fsPath: join(world.root, 'global') } },
    distFolder: worker.folder,
    settings,
    log: new RecordingLog(),
  });
  const first = await backups.make(store, 'request');
  const again = await backups.make(store, 'request');
  settings.current = { ...beside, backupsFolder: disk };
  const folder = backups.folder(store);
  const second = await backups.make(store, 'request');
  const contents = await backups.contents(store, second.backup.id);
  expect({
    isNew: [first.isNew, again.isNew, second.isNew],
    sessions: second.backup.manifest.sessions,
    ids: contents.map(({ id }) => id),
    isOnDisk: folder.startsWith(disk) && existsSync(folder),
  }).toEqual({ isNew: [true, false, true], sessions: 1, ids: ['s1'], isOnDisk: true });
});
