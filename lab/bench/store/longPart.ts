import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { verifySession } from '../../../src/features/transcript/core/verifySession';
import { loadSqlite } from '../../../src/store/engine/sqlite';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import { isSound, repairSequence } from '../../../src/transcript/sequenceRepair';
import { longSession, promptOf, seedLongSession, turnOf } from '../../../test/support/longSession';
import { inTemporaryFolder } from '../../support/temporaryFolder';
import { grouped, growth, quantiles, type Quantiles } from '../figures';
import type { Part } from '../part';
import { programs } from '../programs';
import { benchChunk, benchTurn } from './benchTurn';
import { openProduct } from './contestants';

/** What one operation took, and how long each piece of another answer waited while it ran. Milliseconds. */
interface Measured {
  readonly ms: number;
  readonly chunk: Quantiles;
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
    verifySession(longSession, [], {
      sessions: store,
      checkFile: async () => ({ unchecked: 'an answer is being written' }),
      describe: String,
      now: () => now,
      signal: new AbortController().signal,
      onProgress: () => undefined,
    }),
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

/** Works on a whole long session while the text of another answer is stored. `size`: turns. */
export const longPart: Part = async ({ quick, size }) => {
  const sizes: { turns: number; operations: Record<string, Measured> }[] = [];
  for (const turns of size !== null ? [size] : quick ? [500] : [2_000, 20_000])
    sizes.push({ turns, operations: await inTemporaryFolder('long', (work) => measureAll(work, turns)) });
  const exponents = new Map(
    Object.keys(operations).map((name) => [
      name,
      growth(sizes.map((each) => ({ x: each.turns, y: each.operations[name]?.ms ?? 0 }))),
    ]),
  );
  for (const name of Object.keys(operations))
    for (const { turns, operations: found } of sizes) {
      const { ms = 0, chunk } = found[name] ?? {};
      console.log(
        `  ${name.padEnd(8)}${grouped(turns).padStart(7)} turns ${ms.toFixed(0).padStart(6)} ms; a chunk ` +
          `waits p95 ${chunk?.p95} ms, max ` +
          `${chunk?.max}${sizes.length > 1 ? `; growth exponent ${exponents.get(name)}` : ''}`,
      );
    }
  const largest = sizes.at(-1);
  const waits = Object.values(largest?.operations ?? {}).map(({ chunk }) => chunk.p95);
  return {
    figures: { sizes },
    aims: [
      {
        aim: `chunk while a session of ${grouped(largest?.turns ?? 0)} turns is worked on, p95 ms (worst operation)`,
        value: Math.max(...waits),
        most: 50,
      },
      ...(sizes.length < 2
        ? []
        : [
            {
              aim: 'growth exponent of an operation with the length of its session (worst)',
              value: Math.max(...exponents.values()),
              most: 1.1,
            },
          ]),
    ],
  };
};

/** Each operation has a copy of the same store. */
async function measureAll(work: string, turns: number): Promise<Record<string, Measured>> {
  const seeded = join(work, 'seeded');
  const wasm = readFileSync(join(await programs(), 'sql-wasm.wasm'));
  seedLongSession(await loadSqlite(new Uint8Array(wasm)), seeded, turns);
  const measured: Record<string, Measured> = {};
  for (const [name, run] of Object.entries(operations)) {
    const folder = join(work, name);
    mkdirSync(folder);
    copyFileSync(join(seeded, 'state.db'), join(folder, 'state.db'));
    measured[name] = await measure(folder, (store) => run(store, turns));
    rmSync(folder, { recursive: true });
  }
  return measured;
}

async function measure(folder: string, run: (store: SessionStore) => Promise<unknown>): Promise<Measured> {
  const store = await openProduct(folder, await programs());
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
  return { ms, chunk: quantiles(waits, 1) };
}
