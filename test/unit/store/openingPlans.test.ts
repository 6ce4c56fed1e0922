import { expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import { SessionDb } from '../../../src/store/session/sessionDb';
import { answered, prompt, runningTurn, sessionDbWorld } from '../../support/sessionDbWorld';

/** Tables that grow with every turn: whoever reads them whole makes a window open more slowly the longer Hermes is used. */
const growing = /\bSCAN (?:TABLE )?(turns|t|messages|m|stream_chunks|file_changes|message_revisions)\b(?!.*USING (?:COVERING )?INDEX (?:turns_slot|messages_streaming))/;

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

it('opening a store and listing its newest sessions reads no table whole that grows with every turn', async () => {
  const world = await sessionDbWorld();
  for (const id of ['s0', 's2']) world.db.createSession({ id, startedAt: 1 });
  runningTurn(world.db, {});
  world.db.recoverTurns();
  for (let turn = 10; turn < 40; turn++) answered(world.db, `t${turn}`, `answer ${turn}`, { sessionId: `s${turn % 3}` });
  world.db.openTurn({ turnUid: 'open', sessionId: 's0', startedAt: 9, model: 'Local/test', userMessage: prompt('u-open', 'Open?', 'open', 's0') });
  const queries = new Set<string>();
  const db = new SessionDb({ database: listening(world.database, queries), now: () => 1, fileSizes: () => world.database.sizes() });
  db.scrub();
  const recovered = db.recoverTurns();
  db.listSessions({ limit: 30 });
  const whole = [...queries].flatMap((sql) => {
    const count = sql.split('?').length - 1;
    const plan = world.database.all(`EXPLAIN QUERY PLAN ${sql}`, Array<null>(count).fill(null)).map(({ detail }) => String(detail));
    return plan.filter((step) => growing.test(step)).map((step) => `${step}: ${sql.replace(/\s+/g, ' ').slice(0, 90)}`);
  });
  expect([recovered.length, queries.size > 5, whole]).toEqual([1, true, []]);
});
