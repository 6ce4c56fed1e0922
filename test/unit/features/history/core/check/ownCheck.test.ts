import { expect, test } from 'vitest';
import { findingMeaning, findingTitle, type Finding } from '../../../../../../src/transcript/rules/finding';
import type { RuleName } from '../../../../../../src/transcript/rules/rules';
import { checkOwn } from '../../../../../../src/features/history/core/check/checking';
import { repairPlans } from '../../../../../../src/features/history/core/check/repairPlan';
import {
  answer,
  answered,
  call,
  result,
  sessionDbWorld,
  settle,
  openTurn,
  type SessionDbWorld,
} from '../../../../../support/sessionDbWorld';

/** A sound session `s1` with three turns: two answers, and one with a tool. */
async function soundWorld(): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  const { db } = world;
  db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  answered(db, 't1', 'Apples');
  answered(db, 't2', 'Pears');
  openTurn(db, { turnUid: 't3', text: 'Look into the file' });
  db.putMessages([answer('a3', [call('c1')], 't3'), result('r3', 'c1', 'plums', 't3')]);
  settle(db, 't3', undefined, [answer('a-t3', 'Plums', 't3')]);
  return world;
}

const hidden = "UPDATE messages SET active = 0, hidden_reason = 'dropped' WHERE uid";
const copied = (from: string, to: string, position: number, change = ''): string =>
  `INSERT INTO messages (uid, session_id, turn_uid, position, role, content, parts, tool_call_id, tool_calls, timestamp)
   SELECT '${to}', session_id, turn_uid, ${position}, role, content, ${change === '' ? 'parts' : change}, tool_call_id, tool_calls, timestamp FROM messages WHERE uid = '${from}'`;
const callParts = (callId: string, text: string): string =>
  JSON.stringify([{ kind: 'toolCall', callId, name: 'read_file', arguments: text }]).replaceAll("'", "''");

/** How each kind of damage comes about: statements of another program. */
const damages: Readonly<Record<string, { readonly finds: RuleName; readonly sql: readonly string[] }>> = {
  'an answer is missing between two prompts': { finds: 'missingAnswer', sql: [`${hidden} = 'a-t1'`] },
  'an answer was divided': {
    finds: 'adjacentAnswers',
    sql: [copied('a-t1', 'more', 2500, `'[{"kind":"text","text":"and more"}]'`)],
  },
  'a result is missing': { finds: 'unansweredCall', sql: [`${hidden} = 'r3'`] },
  'a result answers no call': { finds: 'orphanResult', sql: [`${hidden} = 'a3'`] },
  'a call has two results': {
    finds: 'repeatedResult',
    sql: [copied('r3', 'again', 7000, "replace(parts, 'plums', 'other')")],
  },
  'two calls share an id': {
    finds: 'duplicateCallId',
    sql: [copied('a3', 'a4', 2100, `'${callParts('c1', '{"path":"b"}')}'`), copied('r3', 'r4', 2200)].map((sql) =>
      sql.replaceAll("'a3'", "'a3'"),
    ),
  },
  'arguments are cut off': {
    finds: 'cutArguments',
    sql: [`UPDATE messages SET parts = '${callParts('c1', '{"path": "src/a", "li')}' WHERE uid = 'a3'`],
  },
  'an answer with a call is doubled': {
    finds: 'doubledRow',
    sql: [copied('a3', 'a4', 7000), copied('r3', 'r4', 7001)],
  },
  'a row of a retry is left': {
    finds: 'scaffolding',
    sql: [
      `UPDATE sessions SET origin = '{}'`,
      `UPDATE messages SET parts = '[{"kind":"text","text":"(empty)"}]' WHERE uid = 'a-t1'`,
    ],
  },
  'the parts of a row are damaged': {
    finds: 'damagedRow',
    sql: [`UPDATE messages SET parts = '[{"kind":"te' WHERE uid = 'a-t1'`],
  },
  'an answer was never put together': {
    finds: 'unfoldedText',
    sql: [
      `UPDATE messages SET state = 'streaming', parts = '[]' WHERE uid = 'a-t1'`,
      `INSERT INTO stream_chunks (message_uid, seq, part, kind, start, text) VALUES ('a-t1', 1, 0, 'text', 0, 'App'), ('a-t1', 2, 0, 'text', 3, 'les')`,
    ],
  },
  'the parent is missing': {
    finds: 'danglingParent',
    sql: [`UPDATE sessions SET parent_session_id = 'gone', parent_kind = 'compression'`],
  },
  'the first segment is missing': {
    finds: 'danglingParent',
    sql: [`UPDATE sessions SET conversation_id = 'gone'`, `UPDATE turns SET conversation_id = 'gone'`],
  },
  'the continuation is missing': {
    finds: 'endedWithoutChild',
    sql: [`UPDATE sessions SET end_reason = 'compression', ended_at = 5`],
  },
  'messages lost their session': {
    finds: 'orphanRows',
    sql: [`PRAGMA foreign_keys = OFF`, `DELETE FROM sessions`, `PRAGMA foreign_keys = ON`],
  },
  'the number of messages is wrong': { finds: 'wrongCount', sql: ['UPDATE sessions SET message_count = 99'] },
  'a row is hidden with a turn that is gone': {
    finds: 'brokenLink',
    sql: [`UPDATE messages SET hidden_with = 'gone' WHERE uid = 'a-t1'`],
  },
  'a row was merged into one that is gone': {
    finds: 'brokenLink',
    sql: [`UPDATE messages SET active = 0, hidden_reason = 'merged', absorbed_into = 'gone' WHERE uid = 'u-t2'`],
  },
  'the turn of a row is gone': {
    finds: 'brokenLink',
    sql: [`UPDATE messages SET turn_uid = 'gone' WHERE uid = 'u-t1'`],
  },
  'a turn is in another conversation': {
    finds: 'brokenLink',
    sql: [`UPDATE turns SET conversation_id = 'other' WHERE uid = 't1'`],
  },
  'a turn waits for nothing': {
    finds: 'brokenApproval',
    sql: [
      `UPDATE turns SET state = 'waiting', approval_id = 'x', outcome = NULL, stop_reason = NULL, settled_at = NULL WHERE uid = 't3'`,
    ],
  },
  'a turn ends with a result': { finds: 'endsWithResult', sql: [`DELETE FROM messages WHERE uid = 'a-t3'`] },
  'the search index lost a row': { finds: 'indexDrift', sql: [`DELETE FROM messages_fts_segdir`] },
};

async function findingsIn({ database }: SessionDbWorld): Promise<readonly Finding[]> {
  return (await checkOwn(database, '/store')).findings;
}

function dump({ database }: SessionDbWorld): unknown {
  return ['sessions', 'turns', 'messages', 'stream_chunks', 'message_revisions', 'approvals', 'state_meta'].map(
    (table) => database.all(`SELECT * FROM ${table} ORDER BY 1, 2`).map((row) => ({ ...row, trashed_at: null })),
  );
}

test('finds nothing in a sound store', async () => {
  const world = await soundWorld();
  while (world.db.indexBatch(100) > 0);
  expect(await findingsIn(world)).toEqual([]);
});

test.each(Object.entries(damages))('finds, explains, repairs and restores: %s', async (_, { finds, sql }) => {
  const world = await soundWorld();
  while (world.db.indexBatch(100) > 0);
  for (const statement of sql) world.database.execute(statement);
  const before = dump(world);

  const found = await findingsIn(world);
  const [one] = found.filter(({ id }) => id === finds);
  expect(one, `${finds} in ${found.map(({ id }) => id).join()}`).toBeDefined();
  expect([findingTitle(finds), findingMeaning(finds)].every((text) => text.length > 10)).toBe(true);

  const inputs = repairPlans(found).map(({ sessionId, steps }, index) => ({
    repairId: `p${index}`,
    sessionId,
    steps,
    at: 50,
  }));
  const previews = inputs.map((input) => world.db.previewRepair(input));
  expect(dump(world), 'a preview changes nothing').toEqual(before);

  const repaired = inputs.map((input) => world.db.repairSession(input));
  expect(repaired).toEqual(previews);
  expect(await findingsIn(world), 'clean afterwards').toEqual([]);
  expect(world.db.verifyIntegrity()).toEqual([]);

  for (const { sessionId, repairId } of inputs.toReversed()) world.db.undoRepair(sessionId, repairId);
  if (finds === 'orphanRows') return;
  expect(dump(world), 'an undone repair leaves what was there').toEqual(before);
});

test('a branch of a session that is not here is sound', async () => {
  const world = await soundWorld();
  while (world.db.indexBatch(100) > 0);
  world.database.execute(`UPDATE sessions SET parent_session_id = 'elsewhere', parent_kind = 'branch'`);
  expect(await findingsIn(world)).toEqual([]);
});

test('a continuation without its summary is named as such', async () => {
  const world = await soundWorld();
  world.db.endSession('s1', 'compression');
  while (world.db.indexBatch(100) > 0);
  world.database.execute(
    `INSERT INTO sessions (id, parent_session_id, parent_kind, conversation_id, started_at, last_activity_at)
     VALUES ('s2', 's1', 'compression', 's1', 6, 6)`,
  );
  expect((await findingsIn(world)).map(({ id, sessionId }) => [id, sessionId])).toEqual([['emptyContinuation', 's2']]);
});

test('refuses to undo a repair after the session changed', async () => {
  const world = await soundWorld();
  world.database.execute(`${hidden} = 'a-t1'`);
  const [plan] = repairPlans(await findingsIn(world));
  world.db.repairSession({ repairId: 'p', sessionId: 's1', steps: plan?.steps ?? [], at: 50 });
  expect(world.db.repairsOf('s1')).toEqual([{ repairId: 'p', at: 50, rows: 1 }]);
  world.database.execute(
    `UPDATE messages SET content = 'x', parts = '[{"kind":"text","text":"x"}]' WHERE uid = 't1/closing'`,
  );
  expect(() => world.db.undoRepair('s1', 'p')).toThrow(/changed after the repair/);
});

test('forgets the record of a repair with its session', async () => {
  const world = await soundWorld();
  world.database.execute(`${hidden} = 'a-t1'`);
  const [plan] = repairPlans(await findingsIn(world));
  world.db.repairSession({ repairId: 'p', sessionId: 's1', steps: plan?.steps ?? [], at: 50 });
  world.db.forgetSession('s1');
  expect(world.database.all("SELECT key FROM state_meta WHERE key LIKE 'repair.%'")).toEqual([]);
});

test.each([
  ['calls that a model names and makes alike in two turns', (db: SessionDbWorld['db'], turn: string) => look(db, turn)],
  ['a talk of four messages that happens twice', (db: SessionDbWorld['db'], turn: string) => talk(db, turn)],
])('does not take for doubled: %s', async (_name, add) => {
  const world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1, title: 'Fruit' });
  add(world.db, 'x');
  add(world.db, 'y');
  world.database.run('UPDATE messages SET timestamp = 1000 + position');
  const { findings } = await checkOwn(world.database, '/store');
  expect(findings.map(({ id }) => id).filter((id) => id === 'doubledRow')).toEqual([]);
});

function look(db: SessionDbWorld['db'], turn: string): void {
  openTurn(db, { turnUid: turn, text: `Look ${turn}` });
  db.putMessages([answer(`c-${turn}`, [call('call_0')], turn), result(`r-${turn}`, 'call_0', 'plums', turn)]);
  settle(db, turn, undefined, [answer(`a-${turn}`, 'Plums', turn)]);
}

function talk(db: SessionDbWorld['db'], turn: string): void {
  answered(db, `${turn}1`, 'Apples');
  answered(db, `${turn}2`, 'Pears');
}
