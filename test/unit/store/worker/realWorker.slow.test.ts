import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { openStore } from '../../../../src/store/ownership/openStore';
import type { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import { startStoreWorker } from '../../../../src/store/worker/storeClient';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../ownership/turnBuilder';

let worker: BuiltStoreWorker;
const folders: string[] = [];
const connections: StoreConnection[] = [];
beforeAll(async () => {
  worker = await buildStoreWorker();
});
afterAll(() => worker.remove());
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe('the store with its worker, on a real disk', () => {
  it('keeps a streamed turn across a reopening', async () => {
    const storageFolder = temporaryFolder();
    const first = await openedIn(storageFolder);
    const { store } = first;
    await store.createSession({ id: 's', startedAt: 1 });
    await store.openTurn(openingTurn('s', 't'));
    await store.appendChunks(chunkOf('s', 't', 1, 0, 'Every word '));
    await store.appendChunks(chunkOf('s', 't', 2, 11, 'is on disk.'));
    await store.settleTurn(settlingTurn('t'));
    await first.close();

    const second = await openedIn(storageFolder);
    expect({
      messages: spoken(await second.store.activeMessages('s')),
      problems: await second.store.verifyIntegrity(),
    }).toEqual({
      messages: ['user: Prompt of t', 'assistant: Every word is on disk.'],
      problems: [],
    });
  });

  it('keeps storing chunks while a search is running and after it was cancelled', async () => {
    const { store } = await openedIn(temporaryFolder());
    await store.createSession({ id: 's', startedAt: 1 });
    for (let turn = 0; turn < 60; turn++) {
      await store.openTurn(openingTurn('s', `old${turn}`));
      await store.appendChunks(chunkOf('s', `old${turn}`, 1, 0, 'lorem ipsum dolor '.repeat(400)));
      await store.settleTurn(settlingTurn(`old${turn}`));
    }
    await store.openTurn(openingTurn('s', 'now'));
    const aborter = new AbortController();
    const search = store.search({ text: 'absent-substring', limit: 5 }, aborter.signal);
    const rejected = expect(search).rejects.toThrow('cancelled by the person');
    const stored: Promise<void>[] = [];
    for (let seq = 1; seq <= 50; seq++)
      stored.push(store.appendChunks(chunkOf('s', 'now', seq, (seq - 1) * 4, 'word')));
    aborter.abort(new Error('cancelled by the person'));
    await Promise.all(stored);
    await rejected;
    await store.settleTurn(settlingTurn('now'));
    expect(spoken(await store.activeMessages('s')).at(-1)).toBe(`assistant: ${'word'.repeat(50)}`);
  });

  it('opens again when its thread dies, without a request, and the running turn loses and doubles nothing', async () => {
    const connection = await openedIn(temporaryFolder());
    await connection.store.createSession({ id: 's', startedAt: 1 });
    await connection.store.openTurn(openingTurn('s', 't'));
    const states: string[] = [];
    connection.onDidChangeState(({ kind }) => void states.push(kind));
    for (let seq = 1; seq <= 50; seq++) {
      if (seq === 25) killWorkers();
      await connection.store.appendChunks(chunkOf('s', 't', seq, (seq - 1) * 5, `${String(seq).padStart(4, '0')} `));
    }
    expect({
      states,
      recovered: connection.state.kind === 'open' ? connection.state.report.recoveredTurns : null,
      answer: spoken(await connection.store.activeMessages('s')).at(-1),
    }).toEqual({
      states: ['opening', 'open'],
      recovered: [],
      answer: `assistant: ${Array.from({ length: 50 }, (_, index) => `${String(index + 1).padStart(4, '0')} `).join('')}`,
    });
  });
});

let killWorkers: () => void = () => undefined;

async function openedIn(storageFolder: string): Promise<StoreConnection> {
  const connection = openStore({
    storageFolder,
    workerEntry: worker.entry,
    clock: systemClock,
    log: silentLog,
    startWorker: (entry) => {
      const port = startStoreWorker(entry);
      killWorkers = () => void port.terminate();
      return port;
    },
  });
  connections.push(connection);
  await connection.open();
  if (connection.state.kind === 'failed') throw connection.state.error;
  return connection;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-store-'));
  folders.push(folder);
  return folder;
}
