import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatedDisk } from '../../support/simulatedDisk';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import { runWhole, sliceMs, type SlicedWork, StoppedWork } from '../../../src/store/slicedWork';
import type { Message } from '../../../src/transcript/message';
import {
  answer,
  answered,
  append,
  call,
  chunk,
  complete,
  openTurn,
  prompt,
  result,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

/** More rows than go into two batches. */
const turns = 40;

/** A session with tool calls, a prompt that was joined to an earlier one, two versions of turn 5 and of turn 20, a summary where `isCompressed`, and copies in
 *  a branch. */
async function made(isCompressed: boolean): Promise<Uint8Array> {
  const world = await sessionDbWorld();
  const { db } = world;
  db.createSession({ id: 's1', startedAt: 1, model: 'Local/a' });
  for (let turn = 1; turn <= turns; turn++) {
    const turnUid = `t${turn}`;
    openTurn(db, { turnUid, text: `question ${turn}` });
    if (turn === 12) db.putMessages([prompt('u-aside', 'and this', turnUid)]);
    if (turn === 12) db.repairTranscript('s1');
    if (turn % 4 === 0)
      db.putMessages([
        answer(`c-${turnUid}`, [call(`k${turn}`)], turnUid),
        result(`r-${turnUid}`, `k${turn}`, 'found', turnUid),
      ]);
    settle(db, turnUid, complete, [answer(`a-${turnUid}`, `answer ${turn}`, turnUid)]);
    if (turn === 10) world.clock.now++;
  }
  answered(db, 'v20', 'another twentieth', { replaces: { turnUid: 't20', reason: 'retried' } });
  db.showVersion({ sessionId: 's1', turnUid: 't20', now: 30 });
  answered(db, 'v5', 'another fifth', { replaces: { turnUid: 't5', reason: 'edited' } });
  if (isCompressed)
    db.compressSession({ parentId: 's1', childId: 's2', handoff: 'So far.', summarisedUpTo: 'a-t2', now: 31 });
  db.showVersion({ sessionId: 's1', turnUid: 't5', now: 32 });
  db.branchSession({ sessionId: 's1', upTo: null, childId: 'copy', now: 33 });
  while (db.indexBatch(64) > 0);
  world.database.close();
  return world.disk.bytesOf('/store/state.db');
}

const files = new Map<boolean, Promise<Uint8Array>>();

async function long(isCompressed = false): Promise<SessionDbWorld> {
  const file = files.get(isCompressed) ?? made(isCompressed);
  files.set(isCompressed, file);
  const disk = new SimulatedDisk();
  disk.put('/store/state.db', await file);
  return sessionDbWorld(disk);
}

/** The same store with slices of one batch each: time goes by as often as it is looked at. */
function inSlices({ database, clock }: SessionDbWorld): SessionDb {
  let time = 0;
  return createSessionDb({
    database,
    now: () => clock.now,
    fileSizes: () => database.sizes(),
    monotonicMs: () => (time += sliceMs),
  });
}

interface Change {
  /** In a session with a summary, too. */
  readonly run: (db: SessionDb, tip: string) => SlicedWork<unknown>;
  /** What is left when it was stopped or killed in the middle. */
  readonly leaves: 'before' | 'after' | 'either';
  readonly canStop: boolean;
}

const again = (tip: string) => ({
  turnUid: 'n',
  sessionId: tip,
  userMessage: prompt('u-n', 'once more', 'n', tip),
  model: 'm',
  startedAt: 50,
  replaces: { turnUid: 't6', reason: 'retried' as const },
});
const changes: Readonly<Record<string, Change>> = {
  'branching everything': {
    run: (db, tip) => db.slices.branchSession({ sessionId: tip, upTo: null, childId: 'b', now: 50 }),
    leaves: 'before',
    canStop: true,
  },
  'branching from an answer': {
    run: (db, tip) => db.slices.branchSession({ sessionId: tip, upTo: 'c-t36', childId: 'b', now: 50 }),
    leaves: 'before',
    canStop: true,
  },
  'branching before a prompt': {
    run: (db, tip) => db.slices.branchSession({ sessionId: tip, upTo: 'u-t38', childId: 'b', now: 50 }),
    leaves: 'before',
    canStop: true,
  },
  rewinding: {
    run: (db, tip) => db.slices.rewindSession({ sessionId: tip, to: 'u-t6', now: 50 }),
    leaves: 'before',
    canStop: true,
  },
  'asking again': { run: (db, tip) => db.slices.openTurn(again(tip)), leaves: 'before', canStop: true },
  'showing another version': {
    run: (db, tip) => db.slices.showVersion({ sessionId: tip, turnUid: 'v5', now: 50 }),
    leaves: 'either',
    canStop: true,
  },
  forgetting: { run: (db, tip) => db.slices.forgetSession(tip), leaves: 'after', canStop: false },
};
const cases = Object.entries(changes).flatMap(([name, change]) => [
  [name, false, change] as const,
  [`${name} behind a summary`, true, change] as const,
]);

/** Every row of every table, but for what only says how SQLite keeps it. */
function dump({ database }: Pick<SessionDbWorld, 'database'>): Readonly<Record<string, readonly unknown[]>> {
  const tables = {
    sessions: 'id',
    messages: 'session_id, position',
    turns: 'uid',
    message_revisions: 'message_uid',
    state_meta: 'key',
    drafts: 'key',
    queue: 'uid',
  };
  return Object.fromEntries(
    Object.entries(tables).map(([table, order]) => [
      table,
      database
        .all(`SELECT * FROM ${table} ORDER BY ${order}`)
        .map(({ id, ...row }) => ({ ...row, ...(typeof id === 'string' ? { id } : {}) })),
    ]),
  );
}

function slicesOf(work: SlicedWork<unknown>): number {
  for (let count = 1; ; count++) if (work.next().done === true) return count;
}

/** Runs so many slices, then asks it to stop; returns whether it did. */
function stoppedAfter(work: SlicedWork<unknown>, slices: number): boolean {
  for (let count = 0; count < slices; count++) if (work.next().done === true) return false;
  try {
    while (work.next(true).done !== true);
    return false;
  } catch (error) {
    if (error instanceof StoppedWork) return true;
    throw error;
  }
}

/** What the next opening does before anybody reads. */
function tidied(world: SessionDbWorld): SessionDbWorld {
  world.db.recoverTurns();
  world.db.scrub();
  return world;
}

describe.each(cases)('%s in slices', (name, isCompressed, { run, leaves, canStop }) => {
  const tip = isCompressed ? 's2' : 's1';

  it('gives the same result as in one run, and takes several slices', async () => {
    const [sliced, whole] = [await long(isCompressed), await long(isCompressed)];
    const work = run(inSlices(sliced), tip);
    const count = slicesOf(work);
    const other = runWhole(run(whole.db, tip));
    const again = await long(isCompressed);
    expect({
      several: count > 2,
      rows: dump(sliced),
      result: runWhole(run(inSlices(again), tip)),
      problems: sliced.db.verifyIntegrity(),
    }).toEqual({ several: true, rows: dump(whole), result: other, problems: [] });
  });

  if (canStop)
    it('stopped at any slice leaves everything unchanged, or was already complete', async () => {
      const total = slicesOf(run(inSlices(await long(isCompressed)), tip));
      const outcomes = new Set<string>();
      for (let slices = 1; slices < total; slices++) {
        const world = await long(isCompressed);
        const before = JSON.stringify(dump(world));
        const isStopped = stoppedAfter(run(inSlices(world), tip), slices);
        const list = world.db.listSessions({ limit: 9 }).map(({ id }) => id);
        const left = JSON.stringify(dump(world));
        // Nothing is left to take back later; only an unfinished branch is, which nobody sees.
        if (isStopped && !name.startsWith('branching')) expect(left).toBe(JSON.stringify(dump(tidied(world))));
        outcomes.add(
          isStopped
            ? `stopped, ${list.includes('b') ? 'a branch is listed' : 'nothing new is listed'}, ${JSON.stringify(dump(tidied(world))) === before ? 'as before' : 'changed'}`
            : 'done',
        );
        expect(world.db.verifyIntegrity()).toEqual([]);
      }
      expect([...outcomes].sort()).toEqual(
        leaves === 'either'
          ? ['done', 'stopped, nothing new is listed, as before']
          : ['stopped, nothing new is listed, as before'],
      );
    });

  it('killed at any slice leaves all of it or nothing', async () => {
    const done = await long(isCompressed);
    const total = slicesOf(run(inSlices(done), tip));
    const after = JSON.stringify(dump(tidied(done)));
    const outcomes = new Set<string>();
    for (let slices = 1; slices < total; slices++) {
      const world = await long(isCompressed);
      const before = JSON.stringify(dump(world));
      const work = run(inSlices(world), tip);
      for (let count = 0; count < slices; count++) work.next();
      const found = tidied(await world.reopened());
      const state = JSON.stringify(dump(found));
      outcomes.add(
        state === before ? 'before' : state === after ? 'after' : sameButForTime(found, done) ? 'after' : 'between',
      );
      expect(found.db.verifyIntegrity()).toEqual([]);
    }
    expect([...outcomes].sort()).toEqual(leaves === 'either' ? ['after', 'before'] : [leaves]);
  });

  it('lets text of other sessions be stored between any two slices', async () => {
    const world = await long(isCompressed);
    const { db } = world;
    db.createSession({ id: 'other', startedAt: 2 });
    openTurn(db, { sessionId: 'other', turnUid: 'o', text: 'meanwhile?' });
    const work = run(inSlices(world), tip);
    let said = '';
    for (let seq = 1; work.next().done !== true; seq++) {
      db.appendChunks({
        sessionId: 'other',
        turnUid: 'o',
        model: 'm',
        createdAt: 2,
        chunks: [chunk('a-o', seq, said.length, `word ${seq} `)],
      });
      said += `word ${seq} `;
    }
    expect([said.length > 10, db.getMessage('a-o')?.parts]).toEqual([true, [{ kind: 'text', text: said }]]);
  });
});

/** A showing that the next opening finished is not one that was used last at the time of the call. */
function sameButForTime(a: SessionDbWorld, b: SessionDbWorld): boolean {
  const rows = (world: SessionDbWorld): string =>
    JSON.stringify({
      ...dump(world),
      sessions: dump(world)['sessions']?.map((row) => ({ ...(row as object), last_activity_at: null })),
    });
  return rows(a) === rows(b);
}

describe('reading in slices', () => {
  it('returns the same rows as one read, without those added meanwhile', async () => {
    const world = await long();
    openTurn(world.db, { turnUid: 'now', text: 'and now?' });
    append(world.db, 'now', chunk('a-now', 1, 0, 'so '));
    const whole = world.db.activeMessages('s1');
    const work = inSlices(world).slices.activeMessages('s1');
    const entries: Message[] = [];
    let slices = 0;
    for (let step = work.next(); ; step = work.next()) {
      slices++;
      if (step.done === true) {
        entries.push(...step.value);
        break;
      }
      entries.push(...((step.value?.entries ?? []) as Message[]));
      if (slices === 1) append(world.db, 'now', chunk('b-now', 1, 0, 'a row behind'));
    }
    expect([slices > 2, entries]).toEqual([true, whole]);
  });

  it('repairs, part by part, the same as a repair of the whole session', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('user', 'answer', 'calls', 'result', 'stray'), { minLength: 1, maxLength: 80 }),
        async (kinds) => {
          const stored = async (): Promise<SessionDbWorld> => {
            const world = await sessionDbWorld();
            world.db.createSession({ id: 's1', startedAt: 1 });
            openTurn(world.db, { turnUid: 't', text: 'go' });
            kinds.forEach((kind, index) => {
              const uid = `m${index}`;
              world.db.putMessages([
                kind === 'user'
                  ? prompt(uid, `p${index}`, 't')
                  : kind === 'answer'
                    ? answer(uid, `a${index}`, 't')
                    : kind === 'calls'
                      ? answer(uid, [call(`k${index}`)], 't')
                      : result(uid, kind === 'result' ? `k${index - 1}` : 'stray', 'r', 't'),
              ]);
            });
            world.database.run(
              "UPDATE turns SET state = 'settled', outcome = 'complete', stop_reason = 'stop', settled_at = 3",
            );
            return world;
          };
          const [sliced, whole] = [await stored(), await stored()];
          expect([runWhole(inSlices(sliced).slices.repairTranscript('s1')), dump(sliced)]).toEqual([
            whole.db.repairTranscript('s1'),
            dump(whole),
          ]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
