import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifySession } from '../../../src/gateway/verify/verifySession';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import type { StoreThreadData } from '../../../src/host/start/storeThreadData';
import { loadSqlite } from '../../../src/store/engine/sqlite';
import { openStore } from '../../../src/store/ownership/openStore';
import type { SessionStore } from '../../../src/store/sessionStore';
import { startNodeWorker } from '../../../src/store/worker/nodeWorkerPort';
import { isSound, repairSequence } from '../../../src/transcript/sequenceRepair';
import { benchChunk, benchTurn } from '../benchTurn';
import { longSession, promptOf, seedLongSession, turnOf } from './seedLongSession';

/** What one operation took, and how long the text of another answer had to wait at most while it ran. Milliseconds. */
interface Measured {
  readonly operation: string;
  readonly ms: number;
  readonly chunkMax: number;
  readonly chunkP95: number;
  readonly chunks: number;
}

type Operation = (store: SessionStore, turns: number) => Promise<unknown>;

const now = 1_800_000_000;
const asked = (number: number) => ({
  turnUid: 'asked',
  sessionId: longSession,
  model: 'bench/model',
  startedAt: now,
  replaces: { turnUid: turnOf(number), reason: 'retried' as const },
  userMessage: {
    uid: 'asked-prompt',
    sessionId: longSession,
    turnUid: 'asked',
    createdAt: now,
    visibility: { kind: 'shown' as const },
    carriedFrom: null,
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text: 'Again?' }],
  },
});

/** Each as the product asks for it, at the place where it costs most: the whole session. */
const operations: Readonly<Record<string, Operation>> = {
  branch: (store) => store.branchSession({ sessionId: longSession, upTo: null, childId: 'branch', now }),
  rewind: async (store) => {
    await store.repairTranscript(longSession);
    await store.rewindSession({ sessionId: longSession, to: promptOf(1), now });
  },
  retry: (store) => store.openTurn(asked(1)),
  export: async (store) => {
    for (let before: number | undefined; ;) {
      const page = await store.readTranscript({
        sessionId: longSession,
        limit: 500,
        includeHidden: true,
        isCounted: false,
        ...(before === undefined ? {} : { before }),
      });
      before = page.messages[0]?.position;
      if (!page.hasEarlier || before === undefined) return;
    }
  },
  /** The rows; the check of the file is left out while an answer is being written. */
  verify: (store) =>
    verifySession(
      longSession,
      [],
      {
        readTranscript: (query) => store.readTranscript(query),
        sessions: store,
        checkFile: async () => ({ unchecked: 'an answer is being written' }),
        describe: String,
        now: () => now,
      },
      { signal: new AbortController().signal, onProgress: () => undefined },
    ),
  forget: (store) => store.forgetSession(longSession),
  /** What the store and the transcript's rules do before a prompt is sent. */
  prompt: async (store, turns) => {
    const { turnUid, sessionId, model, startedAt, userMessage } = asked(turns);
    await store.openTurn({ turnUid, sessionId, model, startedAt, userMessage });
    const rows = await store.activeMessages(longSession);
    if (!isSound(repairSequence(rows, { openTurnUid: 'asked', at: now })))
      throw new Error('The session has to be repaired.');
    await store.apiContents(longSession);
  },
};

/** Measures every operation in a session of that many turns, each on a copy of the same store, while another session's answer is being stored. */
export async function measureLongSession(work: string, turns: number): Promise<readonly Measured[]> {
  const seeded = join(work, `long-${turns}`);
  seedLongSession(await loadSqlite(new Uint8Array(readFileSync(join(work, 'sql-wasm.wasm')))), seeded, turns);
  const measured: Measured[] = [];
  for (const [operation, run] of Object.entries(operations)) {
    const folder = join(work, `long-${turns}-${operation}`);
    mkdirSync(folder);
    copyFileSync(join(seeded, 'state.db'), join(folder, 'state.db'));
    measured.push({ operation, ...(await measure(folder, work, (store) => run(store, turns))) });
    rmSync(folder, { recursive: true });
  }
  rmSync(seeded, { recursive: true });
  return measured;
}

async function measure(
  folder: string,
  work: string,
  run: (store: SessionStore) => Promise<unknown>,
): Promise<Omit<Measured, 'operation'>> {
  const threadData: StoreThreadData = { compiledFolder: join(work, 'compiled'), keepAfterMs: 300 };
  const connection = openStore({
    storageFolder: folder,
    workerEntry: join(work, 'storeThread.js'),
    startWorker: (entry) => startNodeWorker(entry, threadData),
    clock: systemClock,
    log: silentLog,
  });
  await connection.open();
  const { store } = connection;
  const { sessionId, opening } = benchTurn(1_000_000, 'beside');
  await store.createSession({ id: sessionId, startedAt: now });
  await store.openTurn(opening);
  const waits: number[] = [];
  let isDone = false;
  const writing = (async () => {
    for (let seq = 1; !isDone; seq++) {
      const started = performance.now();
      await store.appendChunks(benchChunk(sessionId, opening.turnUid, seq));
      waits.push(performance.now() - started);
      // A fast model sends about fifty pieces a second.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const started = performance.now();
  await run(store);
  const ms = performance.now() - started;
  isDone = true;
  await writing;
  await store.close();
  const sorted = [...waits].sort((a, b) => a - b);
  return {
    ms,
    chunkMax: sorted.at(-1) ?? 0,
    chunkP95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
    chunks: waits.length,
  };
}
