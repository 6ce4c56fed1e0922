import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { t } from '../../../../src/base/translate';
import { bringBack } from '../../../../src/history/backup/bringingBack';
import { exportCourse } from '../../../../src/history/export/exportCourse';
import { exportStore } from '../../../../src/history/export/storeExport';
import { ImportClient } from '../../../../src/history/import/importClient';
import type { ImportTarget } from '../../../../src/history/import/importTarget';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { converse } from '../../store/library/libraryWorld';
import { backupWorld, type BackupWorld } from '../backup/backupWorld';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/history/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
});
afterEach(() => world.remove());

const refuse = (): Promise<never> => Promise.reject(new Error('The store is not used.'));
const target: ImportTarget = {
  importStates: refuse,
  beginImport: refuse,
  importWhole: refuse,
  addImported: refuse,
  finishImport: refuse,
  discardImport: refuse,
  extendImport: refuse,
};

it('lists the conversations of an export, and a conversation that was erased comes back whole', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  converse(owner.operations, 's2', 'Two');
  const path = join(world.root, 'out.json');
  await exportStore(
    world.deps,
    world.place.store,
    {
      format: 'json',
      scope: { kind: 'all' },
      path,
      leftOut: { toolOutput: false, thinking: false, images: false, hidden: false },
      masksSecrets: false,
      evidence: null,
      language: 'en',
      t,
    },
    exportCourse(systemClock.now),
  );
  owner.operations.forgetSession('s1');
  const copies = join(world.root, 'reading');
  const importer = new ImportClient(join(worker.folder, 'importWorker.js'), { copies }, target);
  try {
    const { folder, conversations } = await importer.openExport(path);
    const ids = conversations.map(({ sessionIds, newestId }) => [sessionIds, newestId]);
    const store = {
      bringOver: async (input: Parameters<typeof owner.operations.bringOver>[0]) => owner.operations.bringOver(input),
    };
    const brought = await bringBack(store, { folder, sessionIds: ['s1'] });
    rmSync(folder, { recursive: true });
    expect(ids.sort()).toEqual([
      [['s1'], 's1'],
      [['s2'], 's2'],
    ]);
    expect([brought.sessions, brought.skipped, owner.operations.getSession('s1')?.id]).toEqual([1, 0, 's1']);
  } finally {
    await importer.close();
    owner.close();
  }
});
