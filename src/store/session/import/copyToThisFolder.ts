import type { CopyToThisFolder, CopiedSessions } from '../../sessionCopying';
import type { SqlDatabase } from '../../engine/sqlDatabase';
import { invalid } from '../tables/refusal';
import { type BroughtBack, noteBroughtBack, renamedRows } from './broughtBack';
import { readText } from '../tables/columns';
import { rowsOfSessions, StoreImport } from './storeImport';
import type { StoreOperations } from '../operations/storeOperations';
import type { Transactions } from '../tables/inBatches';

/** Another store, open for reading. */
export interface OtherDatabase {
  readonly database: SqlDatabase;
  close(): void;
}

/** Opens another store, of the newest schema, for reading. */
export type OpenOther = (folder: string) => OtherDatabase;

export const opensNoOther: OpenOther = () => {
  throw invalid('another store, where none can be opened');
};

/** The parts of a store into which sessions are imported. */
export interface ImportingStore extends StoreOperations {
  readonly transactions: Transactions;
  readonly broughtBack: BroughtBack;
}

export function copyToThisFolder(store: ImportingStore, openOther: OpenOther, input: CopyToThisFolder): CopiedSessions {
  const { database, transactions, broughtBack } = store;
  const other = openOther(input.folder);
  try {
    return transactions.write(() => {
      const newIds = broughtBack.newIds(other.database, input.sessionIds);
      const ids = input.sessionIds.map((id) => newIds.get(id) ?? id);
      const rows = renamedRows(rowsOfSessions(other.database, input), other.database, newIds);
      const before = rowCounts(database, ids);
      const { sessions, messages, extended, skipped } = new StoreImport(store).runForeign(rows, ids);
      const after = rowCounts(database, ids);
      noteBroughtBack(
        database,
        ids.filter((id) => after.get(id) !== before.get(id)),
      );
      return { sessions, messages: messages + extended, skipped, newIds: Object.fromEntries(newIds) };
    });
  } finally {
    other.close();
  }
}

/** Messages of sessions that are stored. */
function rowCounts(database: SqlDatabase, sessionIds: readonly string[]): ReadonlyMap<string, unknown> {
  const rows = database.all(
    `SELECT id, (SELECT count(*) FROM messages m WHERE m.session_id = sessions.id) AS n FROM sessions
     WHERE id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(sessionIds)],
  );
  return new Map(rows.map((row) => [readText(row, 'id', ''), row['n']]));
}
