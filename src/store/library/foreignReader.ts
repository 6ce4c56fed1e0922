import { t } from '../../base/translate';
import type { StoreEngine } from '../engine/sqlite';
import type { SqlDatabase, SqlRow } from '../engine/sqlDatabase';
import { openToRead } from '../open/configure';
import { storeFiles } from '../open/storeFiles';
import { StoreError } from '../storeError';

/** Rows of one statement. Far more than a session has messages; a damaged or made-up file can hold any number. */
const mostRows = 1_000_000;
/** A view of Hermes Agent, which leaves rows of `messages` out. One scan reads it. */
const plainView =
  /^create view "?(\w+)"? as select ((?!\b(?:select|from|with)\b).)* from messages(?: as)? m(?: join sessions(?: as)? s on s\.id = m\.session_id)?(?: where ((?!\b(?:select|from|with|join|group|order|union)\b).)*)?$/is;

/** Reads a private copy of another program's database, in the folder and with the file names of a store. Refuses
 *  statements about views, virtual tables and tables with computed columns, because what they compute is the file's
 *  choice and may never end. Throws an `Error` with SQLite's reason. */
export function foreignReader(
  engine: Pick<StoreEngine, 'sqlite' | 'fileSystem'>,
  folder: string,
): Pick<SqlDatabase, 'iterate' | 'close'> {
  try {
    const database = openToRead(engine, storeFiles(folder));
    try {
      const computed = computedNames(database);
      return {
        iterate: (sql, params) => plainRows(database, computed, sql, params),
        close: () => database.abandon(),
      };
    } catch (error) {
      database.abandon();
      throw error;
    }
  } catch (error) {
    throw plain(error);
  }
}

/** Names, in lower case, that lead to something other than stored rows. */
function computedNames(database: SqlDatabase): ReadonlySet<string> {
  const named = (sql: string): readonly string[] => database.all(sql).map(({ name }) => String(name).toLowerCase());
  const plainViews = new Set(
    named("SELECT sql AS name FROM sqlite_schema WHERE sql LIKE 'create%view%'").flatMap((sql) => {
      const name = plainView.exec(sql.replace(/\s+/g, ' ').trim())?.[1];
      return name === undefined ? [] : [name];
    }),
  );
  return new Set([
    ...named("SELECT name FROM pragma_table_list WHERE type IN ('view', 'virtual')").filter(
      (name) => !plainViews.has(name),
    ),
    ...named(
      `SELECT l.name AS name FROM pragma_table_list l, pragma_table_xinfo(l.name) x
       WHERE l.type = 'table' AND x.hidden IN (2, 3)`,
    ),
  ]);
}

function* plainRows(
  database: SqlDatabase,
  computed: ReadonlySet<string>,
  ...[sql, params]: Parameters<SqlDatabase['iterate']>
): Generator<SqlRow> {
  const name = (sql.match(/\w+/g) ?? []).find((word) => computed.has(word.toLowerCase()));
  if (name !== undefined) throw new Error(t('{name} is computed, not stored, so it is not read.', { name }));
  let count = 0;
  try {
    for (const row of database.iterate(sql, params)) {
      if (++count > mostRows) throw new Error(t('It has more rows than can be read.'));
      yield row;
    }
  } catch (error) {
    throw plain(error);
  }
}

/** The sentence of a `StoreError` is about our own store; for another program's file SQLite's reason is right. */
function plain(error: unknown): unknown {
  return error instanceof StoreError && error.causeClass !== 'locked' ? new Error(error.technical) : error;
}
