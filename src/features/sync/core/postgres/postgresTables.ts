import * as v from 'valibot';
import { t } from '../../../../base/translate';
import { SyncFailure } from '../syncFailure';
import { count, type PostgresConnection } from './postgresConnection';
import { schemaStatements, schemaVersion } from './schema';

/** PostgreSQL 13. */
const oldestServer = 130_000;

/** Makes the tables where they are missing, and those that a newer layout added. Several clients may do so at the same
 *  time. Throws a `SyncFailure`: encoding, tooOld, newerTables, noRight with the statements for an administrator. */
export async function prepareTables(connection: PostgresConnection): Promise<void> {
  const known = await layoutVersion(connection);
  if (known === null || known < schemaVersion) {
    await refuseOld(connection);
    for (const statement of schemaStatements) await connection.define(statement);
  } else if (known > schemaVersion)
    throw new SyncFailure(
      'newerTables',
      t('A newer Hermes made the tables on this server. Update Hermes on this machine.'),
      `tables of version ${known}`,
    );
}

/** Version of the tables; null when they are not all there. */
async function layoutVersion(connection: PostgresConnection): Promise<number | null> {
  const { known, encoding, database } = await connection.one(
    v.object({ known: v.boolean(), encoding: v.string(), database: v.string() }),
    `SELECT to_regclass('hermes_sync.layout') IS NOT NULL AS known, current_setting('server_encoding') AS encoding,
       current_database() AS database`,
    [],
  );
  if (encoding !== 'UTF8')
    throw new SyncFailure(
      'encoding',
      t('The database {database} is not in UTF-8 and cannot hold every text. Create one with ENCODING ‘UTF8’.', {
        database,
      }),
      `server_encoding ${encoding}`,
    );
  if (!known) return null;
  const [row] = await connection.all(v.object({ version: count }), 'SELECT version FROM hermes_sync.layout', []);
  return row?.version ?? null;
}

async function refuseOld(connection: PostgresConnection): Promise<void> {
  const found = await connection.one(v.object({ server_version_num: count }), 'SHOW server_version_num', []);
  if (found.server_version_num < oldestServer)
    throw new SyncFailure(
      'tooOld',
      t('The server is too old. PostgreSQL {version} or newer is required.', { version: 13 }),
      `server version ${found.server_version_num}`,
    );
}
