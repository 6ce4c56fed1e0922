import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import type { StoreThreadData } from '../../../src/host/start/compiledBundle';
import { openStore } from '../../../src/store/ownership/openStore';
import type { StoreConnection } from '../../../src/store/ownership/storeConnection';
import { startStoreWorker } from '../../../src/store/worker/storeClient';
import { buildStoreWorker, type BuiltStoreWorker } from '../../support/storeWorker';

let built: BuiltStoreWorker;
let folder = '';
let connection: StoreConnection | null = null;
beforeAll(async () => {
  built = await buildStoreWorker({ storeThread: 'src/host/start/storeThread.ts' });
});
afterAll(() => built.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-thread-'));
});
afterEach(async () => {
  await connection?.store.close();
  rmSync(folder, { recursive: true, force: true });
});

const kept = (): string => join(folder, 'compiled', 'storeWorker.bin');

/** Opens the store through a thread that keeps its compiled code after this time; what the store says it is. */
async function opened(keepAfterMs: number): Promise<string> {
  const data: StoreThreadData = { compiledFolder: join(folder, 'compiled'), keepAfterMs };
  connection = openStore({
    storageFolder: join(folder, 'history'),
    workerEntry: join(built.folder, 'storeThread.js'),
    startWorker: (entry) => startStoreWorker(entry, data),
    clock: systemClock,
    log: silentLog,
  });
  await connection.open();
  return connection.state.kind;
}

it('a thread keeps its compiled code; the next one opens the same history with it', async () => {
  expect(await opened(0)).toBe('open');
  await connection?.store.createSession({ id: 's1', startedAt: 1 });
  await vi.waitFor(() => expect(existsSync(kept())).toBe(true));
  const { mtimeMs } = statSync(kept());
  await connection?.store.close();
  expect(await opened(0)).toBe('open');
  expect((await connection?.store.getSession('s1'))?.id).toBe('s1');
  // Had it not been taken, it would be written again soon. No event shows that nothing is written.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(statSync(kept()).mtimeMs).toBe(mtimeMs);
});

it.each([
  ['kept code is damaged', () => writeFileSync(kept(), 'no code')],
  [
    'nothing can be kept',
    () => (
      rmSync(join(folder, 'compiled'), { recursive: true }),
      writeFileSync(join(folder, 'compiled'), 'a file in the place of the folder')
    ),
  ],
])('a store opens if %s', async (_case, spoil) => {
  await opened(0);
  await vi.waitFor(() => expect(existsSync(kept())).toBe(true));
  await connection?.store.close();
  spoil();
  expect(await opened(0)).toBe('open');
  expect(await connection?.store.listSessions({ limit: 1 })).toEqual([]);
});
