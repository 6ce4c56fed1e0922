import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { exportInThread } from '../../../../../../src/features/history/core/export/exportClient';
import type { ExportRequest } from '../../../../../../src/features/history/core/export/exportFile';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { isExport } from '../../../../../../src/features/history/core/sources/hermesExport/exportReading';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../../../support/storeWorker';
import { converse } from '../../../../store/library/libraryWorld';
import { backupWorld, type BackupWorld } from '../../../backup/core/backupWorld';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker({ exportWorker: 'src/features/history/core/export/exportWorker.ts' });
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
});
afterEach(() => world.remove());

function request(over: Partial<ExportRequest> = {}): ExportRequest {
  return {
    format: 'json',
    scope: { kind: 'all' },
    path: join(world.root, 'out.json'),
    leftOut: { toolOutput: false, thinking: false, images: false, hidden: true },
    masksSecrets: true,
    language: 'en',
    ...over,
  };
}

function run(given: ExportRequest, signal?: AbortSignal) {
  const copies = join(world.root, 'reading');
  return exportInThread(
    join(worker.folder, 'exportWorker.js'),
    { store: world.place.store, copies, request: given },
    signal === undefined ? {} : { signal },
  );
}

it('exports from a store that is open, names every session in the file, and leaves no private copy', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  converse(owner.operations, 's2', 'Two');
  const made = await run(request());
  owner.close();
  expect({ ...made, bytes: made.bytes > 0 }).toEqual({
    salvaged: null,
    sessions: 2,
    sessionIds: ['s1', 's2'],
    maskedSecrets: 0,
    bytes: true,
  });
  expect([
    await isExport(new NodeHistoryFiles(), join(world.root, 'out.json')),
    readdirSync(join(world.root, 'reading')),
  ]).toEqual([true, []]);
});

it('leaves what was there when it is stopped, and rejects with the reason', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  owner.close();
  const path = join(world.root, 'out.md');
  writeFileSync(path, 'before');
  const stop = new AbortController();
  const reason = new Error('canceled');
  stop.abort(reason);
  await expect(run(request({ format: 'markdown', path }), stop.signal)).rejects.toBe(reason);
  expect([readFileSync(path, 'utf8'), existsSync(`${path}.unfinished`)]).toEqual(['before', false]);
});

it('rejects with a sentence when there is no store', async () => {
  await expect(run(request())).rejects.toMatchObject({ name: 'StoreError', causeClass: 'not-found' });
});
