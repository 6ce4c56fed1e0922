import { unknownUsage } from '../../../src/transcript/usage';
import { expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import {
  answered,
  append,
  chunk,
  prompt,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

/** Tables that grow with every turn: whoever reads them whole gets slower the longer Hermes is used. */
const growing =
  /^SCAN (?:TABLE )?(?:sessions|s|c|turns|t|messages|m|stream_chunks|file_changes|message_revisions|approvals)\b(?!.*USING (?:COVERING )?INDEX (?:turns_slot|messages_streaming|sessions_activity|sessions_pending))/;

/** A database that keeps each query it was asked. */
function listening(database: SqlDatabase, queries: Set<string>): SqlDatabase {
  const heard = (sql: string): string => {
    if (/^\s*(select|with|update|delete)\b/i.test(sql)) queries.add(sql);
    return sql;
  };
  return {
    run: (sql, params) => database.run(heard(sql), params),
    get: (sql, params) => database.get(heard(sql), params),
    all: (sql, params) => database.all(heard(sql), params),
    iterate: (sql, params) => database.iterate(heard(sql), params),
    transaction: (work) => database.transaction(work),
    readTransaction: (work) => database.readTransaction(work),
    execute: (sql) => database.execute(sql),
    close: () => database.close(),
  };
}

async function used(): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  for (const id of ['s0', 's1', 's2']) world.db.createSession({ id, startedAt: 1 });
  for (let turn = 0; turn < 30; turn++) answered(world.db, `t${turn}`, `answer ${turn}`, { sessionId: `s${turn % 3}` });
  return world;
}

/** What these calls read whole, as SQLite's own plan says. */
async function readWhole(
  world: SessionDbWorld,
  calls: (db: SessionDb) => void,
): Promise<{ readonly asked: number; readonly whole: readonly string[] }> {
  const queries = new Set<string>();
  calls(
    createSessionDb({
      database: listening(world.database, queries),
      now: () => 1,
      fileSizes: () => world.database.sizes(),
    }),
  );
  const whole = [...queries].flatMap((sql) => {
    const plan = world.database
      .all(`EXPLAIN QUERY PLAN ${sql}`, Array<null>(sql.split('?').length - 1).fill(null))
      .map(({ detail }) => String(detail));
    return plan.filter((step) => growing.test(step)).map((step) => `${step}: ${sql.replace(/\s+/g, ' ').slice(0, 90)}`);
  });
  return { asked: queries.size, whole };
}

it('opening a store and listing its newest sessions fully scans no table that grows with every turn', async () => {
  const world = await used();
  world.db.openTurn({
    turnUid: 'open',
    sessionId: 's0',
    startedAt: 9,
    model: 'Local/test',
    userMessage: prompt('u-open', 'Open?', 'open', 's0'),
  });
  const { asked, whole } = await readWhole(world, (db) => {
    db.scrub();
    expect(db.recoverTurns()).toHaveLength(1);
    db.listSessions({ limit: 30 });
  });
  expect([asked > 5, whole]).toEqual([true, []]);
});

it('neither does a turn, from the prompt to its end, nor the page that shows it', async () => {
  const world = await used();
  const { asked, whole } = await readWhole(world, (db) => {
    db.openTurn({
      turnUid: 'next',
      sessionId: 's1',
      startedAt: 9,
      model: 'Local/test',
      userMessage: prompt('u-next', 'Next?', 'next'),
    });
    append(db, 'next', chunk('a-next', 1, 0, 'An '));
    append(db, 'next', chunk('a-next', 2, 3, 'answer.'));
    db.addUsage('next', {
      ...unknownUsage,
      inputTokens: 1,
      outputTokens: 1,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    });
    db.setApiContent('u-next', 'as it was sent');
    settle(db, 'next');
    db.setSeen('s1', 10);
    const ofSession: readonly ((sessionId: string) => unknown)[] = [
      (id) => db.getSession(id),
      (id) => db.openTurnOf(id),
      (id) => db.queue(id),
      (id) => db.activeMessages(id),
      (id) => db.promptContext(id, 'u-next'),
      (id) => db.promptVersions(id),
      (id) => db.pendingApproval(id),
      (id) => db.sessionRules(id),
      (id) => db.sessionMode(id),
      (id) => db.sessionEffort(id),
      (id) => db.sessionSpending(id),
      (id) => db.apiContents(id),
      (id) => db.conversationTip(id),
      (id) => db.branchesOf(id),
    ];
    for (const read of ofSession) read('s1');
    for (const read of [() => db.approvalsOf('next'), () => db.getTurn('next'), () => db.fileChangesFrom('next')])
      read();
    db.fileChangesOf(['next']);
    db.spendingSince(9);
    db.subAgentsOf(['s1']);
    db.readTranscript({ sessionId: 's1', limit: 200 });
    db.outboxDue('hindsight', 10, 5);
  });
  expect([asked > 15, whole]).toEqual([true, []]);
});

it('neither does rewinding, retrying, showing again, branching or repeating in a session', async () => {
  const world = await used();
  const { asked, whole } = await readWhole(world, (db) => {
    db.openTurn({
      turnUid: 'again',
      sessionId: 's0',
      startedAt: 9,
      model: 'Local/test',
      userMessage: prompt('u-again', 'Again?', 'again', 's0'),
      replaces: { turnUid: 't27', reason: 'retried' },
    });
    settle(db, 'again');
    db.showVersion({ sessionId: 's0', turnUid: 't27', now: 10 });
    db.rewindSession({ sessionId: 's1', to: 'u-t28', now: 10 });
    db.branchSession({ sessionId: 's2', upTo: 'a-t26', childId: 'b', now: 10 });
  });
  expect([asked > 30, whole]).toEqual([true, []]);
});
