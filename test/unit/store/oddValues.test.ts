import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../../src/store/engine/sqlDatabase';
import { rowsOf } from '../../../src/store/session/import/storeImport';
import { SimulatedDisk } from '../../support/simulatedDisk';
import { openSessionStore } from '../../../src/store/worker/openedStore';
import {
  anApproval,
  answer,
  answered,
  lines,
  openTurn,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';
import { testSqlite } from '../../support/sqlite';

const main = '/store/state.db';

/** Writes what the schema forbids, as damage does. */
function pastTheSchema({ database }: SessionDbWorld, write: () => void): void {
  const schema = database.all(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name IN ('turns', 'messages', 'sessions')",
  );
  const version = Number(database.get('PRAGMA schema_version')?.['schema_version']);
  const set = (sqlOf: (sql: string) => string, to: number): void => {
    for (const { name, sql } of schema)
      database.run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?", [
        sqlOf(String(sql)),
        String(name),
      ]);
    database.execute(`PRAGMA schema_version = ${to}`);
  };
  database.execute('PRAGMA writable_schema = ON; PRAGMA foreign_keys = OFF');
  set(
    (sql) => sql.replace(/ CHECK \((?:[^()]|\([^()]*\))*\)/g, '').replace(/(?<!PRIMARY KEY) NOT NULL/g, ''),
    version + 1,
  );
  write();
  set((sql) => sql, version + 2);
}

async function reopen(world: SessionDbWorld, damageHeader: boolean) {
  world.database.close();
  const disk = new SimulatedDisk();
  disk.put(main, damageHeader ? world.disk.bytesOf(main).slice().fill(0, 0, 16) : world.disk.bytesOf(main));
  disk.put(`${main}.lock`, new Uint8Array([1]));
  return openSessionStore(
    { sqlite: await testSqlite(), fileSystem: disk, now: () => 2000 },
    { folder: '/store', fence: disk.stat(`${main}.lock`)?.identity ?? null, salvage: false },
  );
}

describe('one invalid value in a damaged file', () => {
  let world: SessionDbWorld;
  beforeEach(async () => {
    world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1, title: 'A title' });
    for (let turn = 0; turn < 60; turn++) answered(world.db, `t${turn}`, `words ${turn}`);
  });

  it.each([
    ['messages', 'timestamp', '9e163'],
    ['messages', 'timestamp', '9e999'],
    ['messages', 'position', '1152921504606846976'],
    ['messages', 'position', '9e163'],
    ['turns', 'started_at', '9e163'],
    ['turns', 'settled_at', '-9e999'],
    ['sessions', 'last_activity_at', '9e163'],
    ['sessions', 'input_tokens', '1152921504606846976'],
    [
      'messages',
      'usage',
      `'{"inputTokens":1,"outputTokens":1e300,"cachedInputTokens":null,"cacheWriteTokens":null,"reasoningTokens":null}'`,
    ],
  ])(
    '%s.%s = %s: the store salvages the whole file, reports it, and takes another prompt',
    async (table, column, value) => {
      world.database.run(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = (SELECT max(rowid) FROM ${table})`);
      const opened = await reopen(world, true);
      const { messages } = opened.operations.readTranscript({ sessionId: 's1', limit: 999 });
      openTurn(opened.operations, { turnUid: 'new' });
      settle(opened.operations, 'new');
      expect({
        messages: messages.length,
        title: opened.operations.getSession('s1')?.title,
        complete: opened.report.salvaged.map(({ complete }) => complete),
        problems: opened.operations.verifyIntegrity(),
      }).toEqual({
        messages: 120,
        title: 'A title',
        complete: [column === 'usage'],
        problems: [],
      });
      opened.close();
    },
  );

  it.each([
    ['messages', 'position', '9223372036854775807'],
    ['messages', 'position', '9e163'],
    ['messages', 'position', "'last'"],
    ['messages', 'token_count', '9223372036854775807'],
    ['sessions', 'last_activity_at', '9e999'],
    ['turns', 'session_id', "'gone'"],
    ['turns', 'state', "'odd'"],
    ['messages', 'uid', 'NULL'],
    ['sessions', 'last_activity_at', 'NULL'],
    ['sessions', 'message_count', 'NULL'],
    ['sessions', 'tool_call_count', 'NULL'],
    ['sessions', 'turn_count', 'NULL'],
  ])('%s.%s = %s in the store itself: it opens, lists, reads and continues', async (table, column, value) => {
    openTurn(world.db, { turnUid: 'cut' });
    pastTheSchema(world, () =>
      world.database.run(`UPDATE ${table} SET ${column} = ${value} WHERE rowid = (SELECT max(rowid) FROM ${table})`),
    );
    const opened = await reopen(world, false);
    const listed = opened.operations.listSessions({ limit: 9 }).map(({ id }) => id);
    openTurn(opened.operations, { turnUid: 'new' });
    settle(opened.operations, 'new');
    const page = opened.operations.readTranscript({ sessionId: 's1', limit: 999, includeHidden: true }).messages;
    expect({
      listed,
      prompts: page.filter(({ role }) => role === 'user').length,
      last: page.at(-1)?.uid,
      turn: opened.operations.getTurn('cut')?.state,
    }).toEqual({ listed: ['s1'], prompts: 62, last: 'new/closing', turn: 'settled' });
    opened.close();
  });

  it.each(['NULL', 'CAST(uid AS BLOB)'])('an open turn whose uid is %s holds no slot', async (uid) => {
    openTurn(world.db, { turnUid: 'cut' });
    pastTheSchema(world, () => world.database.run(`UPDATE turns SET uid = ${uid} WHERE uid = 'cut'`));
    const { operations, close } = await reopen(world, false);
    openTurn(operations, { turnUid: 'new' });
    settle(operations, 'new');
    operations.trashSession('s1', 9);
    expect([operations.activeMessages('s1').at(-1)?.uid, operations.getSession('s1')?.trashedAt]).toEqual([
      'new/closing',
      9,
    ]);
    close();
  });

  it('at the end of a session keeps new rows after it', () => {
    world.database.run("UPDATE messages SET position = 9e163 WHERE uid = 'a-t59'");
    answered(world.db, 'next', 'and on');
    expect(
      world.db
        .activeMessages('s1')
        .slice(-3)
        .map(({ uid, position }) => [uid, position < 1e6]),
    ).toEqual([
      ['a-t59', true],
      ['u-next', true],
      ['a-next', true],
    ]);
  });

  it('that keeps a turn from being closed does not keep the store from opening', async () => {
    openTurn(world.db, { turnUid: 'cut' });
    pastTheSchema(world, () =>
      world.database.run("UPDATE messages SET session_id = CAST(session_id AS BLOB) WHERE uid = 'u-cut'"),
    );
    const opened = await reopen(world, false);
    openTurn(opened.operations, { turnUid: 'new' });
    settle(opened.operations, 'new');
    expect([opened.operations.getTurn('cut')?.state, opened.operations.activeMessages('s1').at(-1)?.uid]).toEqual([
      'settled',
      'new/closing',
    ]);
    opened.close();
  });

  it('that detaches a session from its conversation leaves it as a conversation of its own', async () => {
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'So far.', summarisedUpTo: 'a-t58', now: 5 });
    pastTheSchema(world, () => world.database.run("UPDATE sessions SET conversation_id = NULL WHERE id = 's2'"));
    const opened = await reopen(world, false);
    const { messages } = opened.operations.readTranscript({ sessionId: 's2', limit: 999, includeHidden: true });
    answered(opened.operations, 'new', 'more', { sessionId: 's2' });
    expect([
      messages.map(({ uid }) => uid),
      opened.operations.activeMessages('s2').map(({ uid }) => uid),
      opened.operations.transcriptOutline({ sessionId: 's2', after: null, limit: 9 }).length,
    ]).toEqual([['s2/handoff'], ['s2/handoff', 's2/u-t59', 's2/a-t59', 'u-new', 'a-new'], 3]);
    opened.close();
  });

  it('keeps words that one flipped bit turned into bytes, and the row stays in its place', async () => {
    world.database.run(
      "UPDATE messages SET parts = CAST(parts AS BLOB), content = CAST(content AS BLOB) WHERE uid = 'a-t7'",
    );
    const here = await sessionDbWorld();
    const report = here.db.mergeFrom(rowsOf(world.database));
    expect([report, lines(here.db)[15], lines(world.db)[15]]).toEqual([
      { sessions: 1, turns: 60, messages: 120, extended: 0, skipped: 0 },
      'assistant: words 7',
      'assistant: words 7',
    ]);
  });

  it('is counted when left out, and a row without a required value is skipped; repeating changes nothing', async () => {
    const here = await sessionDbWorld();
    const rows: Readonly<Record<string, readonly SqlRow[]>> = {
      sessions: [{ id: 's1', started_at: Number.POSITIVE_INFINITY, last_activity_at: 1e15, pinned: 2 ** 60, title: 7 }],
      messages: [
        {
          uid: 'm1',
          session_id: 's1',
          role: 'user',
          content: 'a',
          parts: '[{"kind":"text","text":"a"}]',
          timestamp: -5,
          position: 2 ** 62,
        },
      ],
      message_revisions: [{ message_uid: 'm1', revised_at: Number.NaN, content: 'b', parts: '[]' }],
      outbox: [
        { uid: 'o', provider: 'p', session_id: 's1', kind: 'k', payload: null, created_at: 1, next_attempt_at: 1 },
      ],
    };
    const reports = [1, 2].map(() => here.db.mergeFrom({ rows: (table) => rows[table] ?? [] }));
    const session = here.db.getSession('s1');
    expect({
      reports,
      session: [session?.startedAt, session?.lastActiveAt, session?.pinned, session?.title],
      revisions: here.db.revisionsOf('m1').length,
      problems: here.db.verifyIntegrity(),
    }).toEqual({
      reports: [
        { sessions: 1, turns: 0, messages: 1, extended: 0, skipped: 4 },
        { sessions: 0, turns: 0, messages: 0, extended: 0, skipped: 4 },
      ],
      session: [0, 0, false, null],
      revisions: 1,
      problems: [],
    });
  });
});

describe('a question whose row lost the id of its turn', () => {
  it('can be answered, and the turn continues', async () => {
    const world = await sessionDbWorld();
    runningTurn(world.db);
    world.db.requestApproval(anApproval('ap'));
    world.database.run("UPDATE approvals SET turn_uid = ''");
    const { approval, turn } = world.db.decideApproval('ap', { kind: 'deny', reason: null }, 5);
    expect([approval.state.kind, approval.turnUid, turn.uid, turn.state]).toEqual(['decided', 't1', 't1', 'running']);
  });
});

describe('a row without an id', () => {
  it('is copied into a branch under an id of its own', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    answered(world.db, 't1', 'one');
    answered(world.db, 't2', 'two');
    pastTheSchema(world, () => world.database.run("UPDATE messages SET uid = NULL WHERE uid = 'a-t1'"));
    world.db.branchSession({ sessionId: 's1', upTo: null, childId: 'b1', now: 20 });
    expect(world.db.activeMessages('b1').map(({ uid }) => uid)).toEqual(['b1/u-t1', 'b1/row 2', 'b1/u-t2', 'b1/a-t2']);
  });
});

describe('an empty answer', () => {
  it.each(['NULL', "'other'"])('is left out at every merge of stores, also under another id: %s', async (uid) => {
    const world = await sessionDbWorld();
    runningTurn(world.db);
    world.db.putMessages([{ ...answer('m1', [], 't1'), state: 'streaming' }]);
    pastTheSchema(world, () => world.database.run(`UPDATE messages SET uid = ${uid} WHERE uid = 'm1'`));
    const here = await sessionDbWorld();
    const counts = [1, 2].map(() => (here.db.mergeFrom(rowsOf(world.database)), here.db.statistics().messages));
    expect(new Set(counts).size).toBe(1);
  });
});

describe('a turn whose session has another id now', () => {
  it.each(['running', 'waiting'])('%s: ends at the next start, and the session takes prompts again', async (state) => {
    const world = await sessionDbWorld();
    runningTurn(world.db);
    if (state === 'waiting') world.db.requestApproval(anApproval('ap'));
    pastTheSchema(world, () => world.database.run("UPDATE sessions SET id = 'other' WHERE id = 's1'"));
    const { operations, close } = await reopen(world, false);
    answered(operations, 't2', 'two', { sessionId: 'other' });
    expect([operations.getTurn('t1')?.state, operations.activeMessages('other').map(({ uid }) => uid)]).toEqual([
      'settled',
      ['u-t2', 'a-t2'],
    ]);
    close();
  });
});

describe.each(['last_activity_at', 'message_count', 'tool_call_count', 'turn_count'])(
  'a session that lost its %s',
  (column) => {
    const lose = ({ database }: SessionDbWorld) => database.run(`UPDATE sessions SET ${column} = NULL`);

    it('takes the next prompt while it is idle, and is counted again', async () => {
      const world = await sessionDbWorld();
      world.db.createSession({ id: 's1', startedAt: 1 });
      answered(world.db, 't1', 'one');
      pastTheSchema(world, () => lose(world));
      const { operations, close } = await reopen(world, false);
      answered(operations, 't2', 'two');
      expect([
        operations.activeMessages('s1').map(({ uid }) => uid),
        operations.listSessions({ limit: 1 })[0]?.messageCount,
      ]).toEqual([['u-t1', 'a-t1', 'u-t2', 'a-t2'], 4]);
      close();
    });

    it('can be answered where it waits for the user, and its turn continues', async () => {
      const world = await sessionDbWorld();
      runningTurn(world.db);
      world.db.requestApproval(anApproval('ap'));
      pastTheSchema(world, () => lose(world));
      const { operations, close } = await reopen(world, false);
      operations.decideApproval('ap', { kind: 'deny', reason: null }, 5);
      operations.putMessages([answer('more', [{ kind: 'text', text: 'I go on.' }], 't1')]);
      expect([operations.getTurn('t1')?.state, operations.getMessage('more')?.uid]).toEqual(['running', 'more']);
      close();
    });
  },
);

describe('a session whose continuation is lost', () => {
  it('continues in its own segment, and can be compressed again', async () => {
    const world = await sessionDbWorld();
    world.db.createSession({ id: 's1', startedAt: 1 });
    answered(world.db, 't1', 'one');
    answered(world.db, 't2', 'two');
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 5 });
    world.database.run("DELETE FROM sessions WHERE id = 's2'");
    answered(world.db, 't3', 'three');
    world.db.compressSession({ parentId: 's1', childId: 's3', handoff: 'Two.', summarisedUpTo: 'a-t2', now: 6 });
    expect([
      world.db.conversationTip('s1'),
      world.db.activeMessages('s3').map(({ uid }) => uid),
      world.db.verifyIntegrity(),
    ]).toEqual(['s3', ['s3/handoff', 's3/u-t3', 's3/a-t3'], []]);
  });
});
