import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock';
import { silentLog } from '../../src/base/log';
import { openStore } from '../../src/store/ownership/openStore';
import type { StoreConnection } from '../../src/store/ownership/storeConnection';
import { NodeSpillHome } from '../../src/store/worker/nodeSpillHome';
import { SpillingStore } from '../../src/store/spill/spillingStore';
import { startNodeWorker } from '../../src/store/worker/nodeWorkerPort';
import { buildStoreWorker, type BuiltStoreWorker } from '../support/storeWorker';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../unit/store/ownership/turnBuilder';

let built: BuiltStoreWorker;
let home = '';
const windows: Window[] = [];
beforeAll(async () => {
  built = await buildStoreWorker();
});
afterAll(() => built.remove());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-spill-'));
});
afterEach(async () => {
  for (const { spilling } of windows.splice(0)) await spilling.store.close();
  rmSync(home, { recursive: true, force: true });
});

interface Window {
  readonly connection: StoreConnection;
  readonly spilling: SpillingStore;
}

const at = (...names: readonly string[]): string => join(home, ...names);
const session = '20261120_080000_abcdef';
const whole = ['user: Prompt of t', 'assistant: one two three'];

/** A window on the store of this folder, as the extension builds it. */
async function openWindow(folder = 'store'): Promise<Window> {
  const connection: StoreConnection = openStore({
    storageFolder: at(folder),
    workerEntry: built.entry,
    clock: systemClock,
    log: silentLog,
    spills: () => ({ folders: [at('global')], liveTurns: spilling.liveTurns }),
  });
  const spillHome = new NodeSpillHome({
    folders: () => [at(folder), at('global')],
    temporaryFolder: () => Promise.resolve(null),
    startWorker: () => startNodeWorker(built.entry),
  });
  const spilling: SpillingStore = new SpillingStore(connection.store, spillHome, systemClock, silentLog, randomUUID);
  await connection.open();
  const opened = { connection, spilling };
  windows.push(opened);
  return opened;
}

async function begin({ spilling: { store } }: Window): Promise<void> {
  await store.createSession({ id: session, startedAt: 1 });
  await store.openTurn(openingTurn(session, 't'));
  await store.activeMessages(session);
  await store.appendChunks(chunkOf(session, 't', 1, 0, 'one '));
}

async function goOn({ spilling: { store } }: Window): Promise<void> {
  await store.appendChunks(chunkOf(session, 't', 2, 4, 'two '));
  await store.appendChunks(chunkOf(session, 't', 3, 8, 'three'));
  await store.settleTurn(settlingTurn('t'));
}

async function transcript({ spilling: { store } }: Window): Promise<readonly string[]> {
  return spoken((await store.readTranscript({ sessionId: session, limit: 100 })).messages);
}

const states = ({ spilling }: Window): readonly string[] => spilling.statuses.map(({ state }) => state);
const spillFiles = (): readonly string[] => readdirSync(at('store')).filter((name) => name.endsWith('.jsonl'));
const found = ({ connection: { state } }: Window): readonly string[] =>
  state.kind === 'open' ? state.report.spills.map(({ outcome }) => outcome) : [state.kind];

describe('a store that fails under a running turn, on this disk', () => {
  it('the file is swapped: the turn ends in a spill file, which waits for the file it belongs to (B186)', async () => {
    const other = await openWindow('other');
    await other.spilling.store.createSession({ id: 'another', startedAt: 1 });
    await other.spilling.store.close();
    const window = await openWindow();
    await begin(window);
    renameSync(at('other', 'state.db'), at('store', 'state.db'));
    await goOn(window);
    const [file = ''] = spillFiles();
    expect({
      shown: await transcript(window),
      states: states(window),
      state: window.connection.state.kind,
      file,
      mode: statSync(at('store', file)).mode & 0o777,
    }).toEqual({
      shown: whole,
      states: ['writing'],
      state: 'failed',
      file: `${session}.jsonl`,
      mode: process.platform === 'win32' ? expect.any(Number) : 0o600,
    });
    await window.connection.retry();
    await window.spilling.tryAgain();
    expect({
      states: states(window),
      sessions: (await window.spilling.store.listSessions({ limit: 9, includeEmpty: true })).map(({ id }) => id),
      files: spillFiles(),
    }).toEqual({
      states: ['otherStore'],
      sessions: ['another'],
      files: [file],
    });
    await window.spilling.store.close();
    renameSync(at('store', 'state.replaced-1.db'), at('store', 'state.db'));
    const after = await openWindow();
    expect({
      found: found(after),
      stored: await transcript(after),
      problems: await after.spilling.store.verifyIntegrity(),
      files: spillFiles(),
    }).toEqual({ found: ['folded'], stored: whole, problems: [], files: [] });
  });

  it('the log is deleted under an open handle: nothing is lost, and the turn is whole once the store is opened again (B68)', async () => {
    const window = await openWindow();
    await begin(window);
    unlinkSync(at('store', 'state.db.wal'));
    await goOn(window);
    const during = {
      shown: await transcript(window),
      files: spillFiles(),
      refused: await window.spilling.store.openTurn(openingTurn(session, 'u')).then(
        () => '',
        (error: Error) => error.message,
      ),
    };
    await window.connection.retry();
    await window.spilling.tryAgain();
    expect({
      during,
      states: states(window),
      stored: await transcript(window),
      problems: await window.spilling.store.verifyIntegrity(),
      files: spillFiles(),
    }).toEqual({
      during: { shown: whole, files: [`${session}.jsonl`], refused: expect.stringContaining('moved or replaced') },
      states: ['folded'],
      stored: whole,
      problems: [],
      files: [],
    });
  });

  it('another process takes the lock, and this one dies: the next window finds the spill (B68)', async () => {
    const window = await openWindow();
    await begin(window);
    const lock = readFileSync(at('store', 'state.db.lock'));
    unlinkSync(at('store', 'state.db.lock'));
    writeFileSync(at('store', 'state.db.lock'), lock);
    await goOn(window);
    const shown = await transcript(window);
    // What a killed process leaves: its files, and a lock whose owner is gone.
    mkdirSync(at('left'));
    for (const name of readdirSync(at('store')))
      if (!name.endsWith('.lock')) copyFileSync(at('store', name), at('left', name));
    const next = await openWindow('left');
    expect({
      shown,
      found: found(next),
      stored: await transcript(next),
      files: existsSync(at('left', `${session}.jsonl`)),
    }).toEqual({ shown: whole, found: ['folded'], stored: whole, files: false });
  });

  it('the turn continues in the store when it is opened again in the middle of the turn', async () => {
    const window = await openWindow();
    await begin(window);
    unlinkSync(at('store', 'state.db.wal'));
    const { store } = window.spilling;
    await store.appendChunks(chunkOf(session, 't', 2, 4, 'two '));
    const during = states(window);
    await window.connection.retry();
    await window.spilling.tryAgain();
    const between = { states: states(window), files: spillFiles() };
    await store.appendChunks(chunkOf(session, 't', 3, 8, 'three'));
    const { turn } = await store.settleTurn(settlingTurn('t'));
    expect({ during, between, stored: await transcript(window), turn: turn.outcome }).toEqual({
      during: ['writing'],
      between: { states: ['folded'], files: [] },
      stored: whole,
      turn: 'complete',
    });
  });
});
