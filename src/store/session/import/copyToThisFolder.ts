import type { CopyToThisFolder, CopiedSessions } from '../../sessionCopying';
import type { SqlDatabase } from '../../engine/sqlDatabase';
import { invalid } from '../tables/refusal';
import { type BroughtBack, noteBroughtBack, renamedRows } from './broughtBack';
import { readText } from '../tables/columns';
import { rowsOfSessions, type StoreImport } from './storeImport';

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

interface BringOverDeps {
  readonly database: SqlDatabase;
  readonly openOther: OpenOther;
  /** Runs its work as one transaction, and may run it again. */
  readonly write: <T>(work: () => T) => T;
  readonly importer: () => StoreImport;
  readonly broughtBack: BroughtBack;
}

export function copyToThisFolder(
  input: CopyToThisFolder,
  { database, openOther, write, importer, broughtBack }: BringOverDeps,
): CopiedSessions {
  const other = openOther(input.folder);
  try {
    return write(() => {
      const newIds = broughtBack.newIds(other.database, input.sessionIds);
      const ids = input.sessionIds.map((id) => newIds.get(id) ?? id);
      const rows = renamedRows(rowsOfSessions(other.database, input), other.database, newIds);
      const before = rowCounts(database, ids);
      const { sessions, messages, extended, skipped } = importer().runForeign(rows, ids);
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
