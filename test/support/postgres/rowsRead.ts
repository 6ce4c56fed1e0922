import type { PostgresServer } from '../../../src/features/sync/core/postgres/postgresServer';
import type { DatabaseAddress } from '../../../src/features/sync/core/postgres/connectionString';
import type { PostgresWorld } from './postgresWorld';

/** Rows and index entries that a client made the server read, by table. Tables without any are left out. */
export async function rowsRead(
  world: PostgresWorld,
  address: DatabaseAddress,
  work: (client: PostgresServer) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const { database } = address;
  const prepared = world.client(address);
  await prepared.prepare();
  await prepared.dispose();
  await allConnectionsEnded(world, database);
  await world.run(database, 'SELECT pg_stat_reset()');
  const client = world.client(address);
  await work(client);
  // A connection reports its reads when it ends.
  await client.dispose();
  await allConnectionsEnded(world, database);
  const found = await world.run(
    database,
    `SELECT t.relname, (t.seq_tup_read + coalesce(sum(i.idx_tup_read), 0))::text AS read
     FROM pg_stat_user_tables t LEFT JOIN pg_stat_user_indexes i USING (relid)
     WHERE t.schemaname LIKE 'hermes_sync%' GROUP BY t.relid, t.relname, t.seq_tup_read ORDER BY 1`,
  );
  return new Map(found.map(({ relname, read }) => [String(relname), Number(read)] as const).filter(([, n]) => n > 0));
}

async function allConnectionsEnded(world: PostgresWorld, database: string): Promise<void> {
  for (;;) {
    const [row] = await world.run(
      database,
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'Hermes'`,
    );
    if (row?.['open'] === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
