import { describe, expect, it, vi } from 'vitest';
import * as schema from '../../../../src/store/schema/migrations';
import type { SqlRow } from '../../../../src/store/engine/sqlDatabase';
import type { RefusedConversation } from '../../../../src/features/sync/core/syncRound';
import { fetchWhole, type SyncServer } from '../../../../src/features/sync/core/syncServer';
import * as present from '../../../support/sessionDbWorld';
import { SimulatedNetwork, SimulatedServer } from '../../../support/simulatedServer';
import { roundOf } from '../../../support/syncRound';

type Build = typeof present;
type World = present.SessionDbWorld;

/** A further column, a further value of a column, and a further table. */
const step: schema.Migration = {
  version: schema.schemaVersion + 1,
  rewritesData: false,
  apply: (database) =>
    database.execute(`
      ALTER TABLE messages ADD COLUMN mood TEXT;
      CREATE TABLE reactions (turn_uid TEXT PRIMARY KEY NOT NULL, emoji TEXT NOT NULL);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, '''failed'')', '''failed'', ''paused'')') WHERE name = 'turns';
      PRAGMA writable_schema = RESET`),
};

/** The build after this one. */
async function nextBuild(): Promise<Build> {
  // The engine is loaded once in a process.
  const engine = await import('../../../support/sqlite');
  const errors = await import('../../../../src/store/storeError');
  vi.resetModules();
  const folder = '../../../../src/store';
  vi.doMock('../../../support/sqlite', () => engine);
  vi.doMock(`${folder}/storeError`, () => errors);
  vi.doMock(`${folder}/schema/migrations`, async (original) => {
    const own = await original<typeof schema>();
    const steps = [...own.migrations, step];
    const migrate: typeof own.migrate = (database, options) => own.migrate(database, { steps, ...options });
    return { ...own, migrations: steps, schemaVersion: step.version, migrate };
  });
  const { treatments } = await import('../../../../src/store/session/tables/rights');
  (treatments.messages as Record<string, string>)['mood'] = 'data';
  const { SyncDocuments } = await import('../../../../src/store/session/sync/syncDocuments');
  const { read, write } = SyncDocuments.prototype;
  SyncDocuments.prototype.read = function (conversationId, documents) {
    return read.call(this, conversationId, documents).map((one) => {
      const reactions = this['database'].all("SELECT * FROM reactions WHERE 'turn/' || turn_uid = ?", [one.document]);
      return one.body === null
        ? one
        : { ...one, body: `${one.body.slice(0, -1)},"reactions":${JSON.stringify(reactions)}}` };
    });
  };
  SyncDocuments.prototype.write = function (conversationId, documents) {
    write.call(this, conversationId, documents);
    for (const { body } of documents)
      for (const { turn_uid, emoji } of (JSON.parse(body ?? '{}') as { reactions?: SqlRow[] }).reactions ?? [])
        this['database'].run('INSERT OR REPLACE INTO reactions VALUES (?, ?)', [turn_uid ?? null, emoji ?? null]);
  };
  const build = await import('../../../support/sessionDbWorld');
  for (const mocked of ['../../../support/sqlite', `${folder}/storeError`, `${folder}/schema/migrations`])
    vi.doUnmock(mocked);
  return build;
}

const next = await nextBuild();

interface Machine {
  readonly world: World;
  readonly exchange: () => Promise<readonly RefusedConversation[]>;
}

function machine(world: World, server: SyncServer, name: string): Machine {
  world.db.synced.begin();
  return { world, exchange: () => roundOf(world.db, server, name).run() };
}

/** The same store, opened by the next build. */
async function updated(one: Machine, server: SyncServer, name: string): Promise<Machine> {
  const disk = one.world.disk.powerCut(() => 1);
  one.world.database.abandon();
  return machine(await next.sessionDbWorld(disk), server, name);
}

/** The way to a server; without versions of stores in what it gives, as a control. */
function wayTo(simulated: SimulatedServer, saysStore: boolean): SyncServer {
  const server = new SimulatedNetwork(simulated, () => 'done').wayOf();
  const plain = <T extends { readonly body: string | null }>(one: T): T => ({
    ...one,
    body: one.body?.replace(/^\{"store":\d+,/, '{') ?? null,
  });
  return {
    ...server,
    fetch: async (...args) => {
      const { documents, ...rest } = await fetchWhole(server, ...args);
      return { ...rest, documents: saysStore ? documents : documents.map(plain) };
    },
  };
}

async function twoBuilds(saysStore = true) {
  const simulated = new SimulatedServer({ isProven: true, isReplicated: true });
  const server = wayTo(simulated, saysStore);
  const older = machine(await present.sessionDbWorld(), server, 'older');
  older.world.db.createSession({ id: 's1', startedAt: 1, title: 'The parser' });
  present.answered(older.world.db, 't1', 'It is here.');
  await older.exchange();
  const newer = machine(await next.sessionDbWorld(), server, 'newer');
  await newer.exchange();
  return { simulated, server, older, newer };
}

/** What only the next build knows. */
function feel({ world }: Machine): void {
  next.answered(world.db, 't2', 'Gladly.');
  world.database.run("UPDATE messages SET mood = 'merry' WHERE uid = 'a-t2'");
  world.database.run("INSERT INTO reactions VALUES ('t2', 'thumb')");
  world.database.run("UPDATE turns SET row_version = row_version + 1 WHERE uid = 't2'");
}

const newerFacts = ({ world }: Machine): unknown => [
  world.database.all('SELECT mood FROM messages ORDER BY uid').map(({ mood }) => mood),
  world.database.all('SELECT turn_uid, emoji FROM reactions'),
  world.database.all('SELECT outcome FROM turns ORDER BY uid').map(({ outcome }) => outcome),
];
const sentence = (work: () => unknown): string => present.sentence(work);
const update =
  'This session was saved by a newer version of Hermes on another machine. Update the extension to continue it here. Until then you can read it.';

describe('a build and the next one', () => {
  it('share earlier sessions, which the next one can change', async () => {
    const { older, newer } = await twoBuilds();
    expect(next.lines(newer.world.db)).toEqual(present.lines(older.world.db));
    expect(newerFacts(newer)).toEqual([[null, null], [], ['complete']]);
  });

  it('keep what only the next one knows, through everything that is done here, and take it in after an update', async () => {
    const { server, older, newer } = await twoBuilds();
    feel(newer);
    const facts = newerFacts(newer);
    await newer.exchange();
    expect(await older.exchange()).toEqual([]);
    const { db } = older.world;
    expect(present.lines(db).at(-1)).toBe('assistant: Gladly.');
    expect(db.synced.status()).toEqual({ conversations: 0, oldestAt: null, newer: ['s1'] });
    const refusedWork = [
      () => present.openTurn(db, { turnUid: 't3', sessionId: 's1', text: 'More' }),
      () =>
        present.openTurn(db, {
          turnUid: 't3',
          sessionId: 's1',
          text: 'More',
          replaces: { turnUid: 't2', reason: 'retried' },
        }),
      () => db.rewindSession({ sessionId: 's1', to: 'u-t2', now: 9 }),
      () => db.compressSession({ parentId: 's1', childId: 's2', handoff: 'A summary', summarisedUpTo: 'a-t1', now: 9 }),
    ];
    expect(refusedWork.map(sentence)).toEqual(refusedWork.map(() => update));
    db.setTitle('s1', 'Renamed', 'person');
    db.setPinned('s1', true);
    db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 9 });
    db.createSession({ id: 'mine', startedAt: 1, title: 'Mine' });
    present.answered(db, 'm1', 'Mine too.', { sessionId: 'mine' });
    await older.exchange();
    await newer.exchange();
    expect(next.lines(newer.world.db, 'mine').length).toBe(2);
    expect(newer.world.database.get("SELECT mood FROM messages WHERE uid = 'a-t2'")).toEqual({ mood: 'merry' });
    expect(newer.world.db.getSession('s1')?.title).toBe('The parser');

    const later = await updated(older, server, 'older');
    await later.exchange();
    await newer.exchange();
    for (const { world } of [later, newer]) {
      expect(world.database.all('SELECT uid, mood FROM messages WHERE mood IS NOT NULL')).toEqual([
        { uid: 'a-t2', mood: 'merry' },
      ]);
      expect(world.database.all('SELECT * FROM reactions')).toEqual([{ turn_uid: 't2', emoji: 'thumb' }]);
      expect([world.db.getSession('s1')?.title, world.db.getSession('s1')?.pinned]).toEqual(['Renamed', true]);
      expect(world.db.verifyIntegrity()).toEqual([]);
    }
    expect(facts).toEqual([
      [null, 'merry', null, null],
      [{ turn_uid: 't2', emoji: 'thumb' }],
      ['complete', 'complete'],
    ]);
    next.answered(later.world.db, 't3', 'Again.');
    await later.exchange();
    await newer.exchange();
    expect(next.lines(newer.world.db).at(-1)).toBe('assistant: Again.');
  });

  it('takes in what came without the server, should that be gone by then', async () => {
    const { server, older, newer } = await twoBuilds();
    feel(newer);
    await newer.exchange();
    await older.exchange();
    const later = await updated(older, server, 'older');
    while (later.world.db.synced.noteMore());
    expect(newerFacts(later)).toEqual(newerFacts(newer));
    expect(later.world.db.synced.changed('s1')).toEqual([]);
  });

  it('keeps for an update what the server lost, should the machine that wrote it never come back', async () => {
    const { simulated, server, older, newer } = await twoBuilds();
    feel(newer);
    await newer.exchange();
    await older.exchange();
    const facts = newerFacts(newer);
    // What happened since the newer machine connected.
    simulated.failOver(2);
    await older.exchange();
    expect(older.world.db.synced.status().newer).toEqual(['s1']);
    const later = await updated(older, server, 'older');
    await later.exchange();
    const third = machine(await next.sessionDbWorld(), server, 'third');
    await third.exchange();
    expect([newerFacts(later), newerFacts(third)]).toEqual([facts, facts]);
  });

  it('takes in nothing while its rows are erased, batch by batch', async () => {
    const { server, older, newer } = await twoBuilds();
    feel(newer);
    await newer.exchange();
    await older.exchange();
    const later = await updated(older, server, 'older');
    later.world.database.run("UPDATE sessions SET pending = 'erased' WHERE id = 's1'");
    const before = newerFacts(later);
    expect([later.world.db.synced.noteMore(), newerFacts(later)]).toEqual([false, before]);
  });

  it('waits by itself with what it cannot store, and reads on as it was', async () => {
    const { server, older, newer } = await twoBuilds();
    feel(newer);
    newer.world.database.run("UPDATE turns SET outcome = 'paused' WHERE uid = 't2'");
    newer.world.db.createSession({ id: 'other', startedAt: 1, title: 'Other' });
    await newer.exchange();
    const [refused] = await older.exchange();
    expect([refused?.conversationId, (refused?.error as Error).message]).toEqual(['s1', update]);
    expect(present.lines(older.world.db).length).toBe(2);
    expect(older.world.db.getSession('other')?.title).toBe('Other');
    expect(sentence(() => present.openTurn(older.world.db, { turnUid: 't3', sessionId: 's1', text: 'More' }))).toBe(
      update,
    );
    const later = await updated(older, server, 'older');
    await later.exchange();
    expect(newerFacts(later)).toEqual(newerFacts(newer));
  });

  it('would drop it if bodies did not say which store wrote them', async () => {
    const { older, newer } = await twoBuilds(false);
    feel(newer);
    await newer.exchange();
    await older.exchange();
    const replaces = { turnUid: 't2', reason: 'retried' } as const;
    present.answered(older.world.db, 't3', 'Again.', { replaces });
    await older.exchange();
    await newer.exchange();
    expect(newer.world.database.get("SELECT mood FROM messages WHERE uid = 'a-t2'")).toEqual({ mood: null });
  });

  it('can be forgotten here', async () => {
    const { older, newer } = await twoBuilds();
    feel(newer);
    await newer.exchange();
    await older.exchange();
    older.world.db.forgetSession('s1');
    await older.exchange();
    await newer.exchange();
    expect(older.world.database.all('SELECT * FROM sync_bodies')).toEqual([]);
    expect([older.world.db.synced.status().newer, newer.world.db.getSession('s1')]).toEqual([[], null]);
  });
});
