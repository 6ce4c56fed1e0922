import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ImportClient } from '../../../../../src/features/history/core/import/importClient';
import { SessionImports } from '../../../../../src/features/history/host/importSessions';
import type { OpenedStore } from '../../../../../src/store/worker/openedStore';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../support/storeWorker';
import { backupWorld, type BackupWorld } from '../../backup/core/backupWorld';
import { editor } from '../../../host/answeringEditor';
import { portTo } from '../../../../../src/store/worker/storePort';
import { servicesOf, unusedTarget } from './services';
import { converse } from '../../../store/library/libraryWorld';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

let worker: BuiltStoreWorker;
let world: BackupWorld;
let here: OpenedStore;
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/features/history/core/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  here = world.open();
});
afterEach(() => {
  here.close();
  world.remove();
});

function imports() {
  const services = servicesOf({
    openImporter: () =>
      new ImportClient(join(worker.folder, 'importWorker.js'), join(world.root, 'reading'), () => portTo(unusedTarget)),
    ready: async () => undefined,
    store: {
      copyToThisFolder: async (input) => here.operations.copyToThisFolder(input),
      getSession: async (id) => here.operations.getSession(id),
    },
    during: (work) => work,
    failed: () => (error) => void editor.shown.push(String(error)),
    refresh: () => undefined,
  });
  return new SessionImports(services, { isOn: true, status: async () => '', keepImporting: async () => undefined });
}

it('a store of ours is imported with its ids, and a second time nothing comes', async () => {
  const there = world.open(join(world.root, 'there'));
  converse(there.operations, 's1', 'One');
  there.operations.setTitle('s1', 'Fruit', 'person');
  there.close();
  const file = join(world.root, 'there/state.db');
  editor.multiPicks.push({ rows: ['Fruit'] });
  await imports().run([file]);
  await imports().run([file]);
  expect([here.operations.getSession('s1')?.title, editor.offered, editor.shown]).toEqual([
    'Fruit',
    [['Fruit | 2 messages']],
    ['Imported 1 session with 2 messages.', 'Already here: 1 session. There is nothing to import.'],
  ]);
});
