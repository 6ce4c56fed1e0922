import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../../../src/base/translate';
import { ImportClient } from '../../../../src/history/import/importClient';
import type { ImportTarget } from '../../../../src/history/import/importTarget';
import { usualPlaces } from '../../../../src/history/sources/historyPlaces';
import type { OpenedStore } from '../../../../src/store/worker/openedStore';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { backupWorld, type BackupWorld } from '../../history/backup/backupWorld';
import { converse } from '../../store/library/libraryWorld';

const held = vi.hoisted(() => ({ shown: new Array<string>(), offered: new Array<readonly string[]>() }));
vi.mock('vscode', () => ({
  ProgressLocation: { Window: 10, Notification: 15 },
  window: {
    withProgress: (_options: unknown, work: (progress: unknown, canceled: unknown) => Promise<unknown>) =>
      work({ report: () => undefined }, { onCancellationRequested: () => undefined }),
    // The user takes everything.
    showQuickPick: async (items: readonly { readonly label: string }[]) => {
      held.offered.push(items.map(({ label }) => label));
      return items;
    },
    showInformationMessage: async (sentence: string) => void held.shown.push(sentence),
  },
}));
const { SessionImports } = await import('../../../../src/host/history/importSessions');

const refuse = (): Promise<never> => Promise.reject(new Error('Only whole rows are imported.'));
const target: ImportTarget = {
  importStates: refuse,
  beginImport: refuse,
  importWhole: refuse,
  addImported: refuse,
  finishImport: refuse,
  discardImport: refuse,
  extendImport: refuse,
};

let worker: BuiltStoreWorker;
let world: BackupWorld;
let here: OpenedStore;
beforeAll(async () => {
  worker = await buildStoreWorker({ importWorker: 'src/history/import/importWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
  here = world.open();
  [held.shown.length, held.offered.length] = [0, 0];
});
afterEach(() => {
  here.close();
  world.remove();
});

function imports() {
  return new SessionImports({
    openImporter: () =>
      new ImportClient(join(worker.folder, 'importWorker.js'), { copies: join(world.root, 'reading') }, target),
    places: () => usualPlaces({ home: world.root, platform: 'linux', environment: {} }),
    context: () => ({ labels: { t, language: 'en', now: 1 }, home: world.root, folders: [], into: 'parcel-post' }),
    ready: async () => undefined,
    store: {
      bringOver: async (input) => here.operations.bringOver(input),
      getSession: async (id) => here.operations.getSession(id),
    },
    openInChat: async () => undefined,
    onFailure: (error) => void held.shown.push(String(error)),
    rescue: { isOn: true, status: async () => '', keepImporting: async () => undefined },
    onImported: () => undefined,
  });
}

it('a store of ours is imported with its ids, and a second time nothing comes', async () => {
  const there = world.open(join(world.root, 'there'));
  converse(there.operations, 's1', 'One');
  there.operations.setTitle('s1', 'Fruit', 'person');
  there.close();
  const file = join(world.root, 'there/state.db');
  await imports().run([file]);
  await imports().run([file]);
  expect([here.operations.getSession('s1')?.title, held.offered, held.shown]).toEqual([
    'Fruit',
    [['Fruit']],
    ['Imported 1 session with 2 messages.', 'Already here: 1 session. There is nothing to import.'],
  ]);
});
