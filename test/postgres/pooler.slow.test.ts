import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresWorld } from '../support/postgres/postgresWorld';
import { sameOnAll, threeMachines } from '../support/postgres/threeMachines';

let world: PostgresWorld;
beforeAll(async () => {
  world = await PostgresWorld.start({ settings: { log_statement: 'all', log_line_prefix: '@%a@ ' } });
});
afterAll(() => world.close());

interface Logged {
  readonly sql: string;
  /** Name of a prepared statement; null for one that has none. */
  readonly prepared: string | null;
}

let reads = 0;

/** Statements of the client, in the order of the log. */
async function statements(): Promise<readonly Logged[]> {
  const mark = `read ${++reads}`;
  await world.run('postgres', `SELECT '${mark}'`);
  while (!world.log.includes(mark)) await new Promise((resolve) => setTimeout(resolve, 10));
  return world.log.split(/^@/m).flatMap((entry) => {
    const [, name, sql] = /^Hermes@ LOG:\s+(?:statement|execute (\S+)): (.*)$/s.exec(entry) ?? [];
    return sql === undefined ? [] : [{ sql: sql.trim(), prepared: name === '<unnamed>' ? null : (name ?? null) }];
  });
}

/** Statements that need nothing of a connection beyond their transaction. */
const stateless =
  /^(?:SELECT|INSERT|UPDATE|DELETE|WITH \w+ AS (?:MATERIALIZED )?\(\s*(?:SELECT|INSERT|UPDATE|DELETE)|BEGIN;?|COMMIT|ROLLBACK|SHOW|CREATE (?:SCHEMA|TABLE|(?:UNIQUE )?INDEX) IF NOT|ALTER TABLE|DROP TABLE|DO)\s/;
/** Parts of a statement that leave something in a connection, or expect it there. */
const stateful =
  /advisory|set_config|currval|lastval|pg_notify|pg_temp|\bTEMP(?:ORARY)?\b|\bWITH HOLD\b|\bSET SESSION\b|; SET (?!LOCAL\b)/i;

const needsConnection = ({ sql, prepared }: Logged): boolean =>
  prepared !== null || !stateless.test(`${sql} `) || stateful.test(sql);

describe('a pooler that gives each transaction another connection', () => {
  it('is enough: no statement needs more than its transaction', async () => {
    const database = await world.database();
    expect(await threeMachines(world, database, { seed: 5, steps: 120 })).toEqual(sameOnAll);
    const client = world.client(world.address(database));
    const connection = await client.connect('a', 'A');
    await client.erase(connection, { conversationId: 'c' });
    const lease = await client.lease(connection, 'd');
    const fence = lease.kind === 'granted' ? lease.fence : 0;
    await client.renew(connection, 'd', fence);
    await client.release(connection, 'd', fence);
    await client.keepSeal('a seal');
    await client.overview();
    const all = await statements();
    expect(all.filter(needsConnection)).toEqual([]);
    const kinds = new Set(all.map(({ sql }) => (/^\w+/.exec(sql) ?? [''])[0]));
    // The run had statements of every kind.
    expect(
      ['BEGIN', 'COMMIT', 'CREATE', 'DELETE', 'INSERT', 'SELECT', 'UPDATE'].filter((kind) => !kinds.has(kind)),
    ).toEqual([]);
    expect(all.length).toBeGreaterThan(250);
  });
});
