import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { oneOf, textOr } from '../tables/columns';

/** Imports approvals of another store, after the turns. An approval becomes `expired` unless its turn waits for it
 *  here. Returns the number of rows that belong to no session. */
export function importApprovals(database: SqlDatabase, rows: readonly SqlRow[], insert: (row: SqlRow) => void): number {
  let skipped = 0;
  for (const row of rows) {
    if (database.get('SELECT 1 AS n FROM sessions WHERE id = ?', [textOr(row, 'session_id', '')]) === undefined) {
      skipped++;
      continue;
    }
    const waits =
      database.get("SELECT 1 AS n FROM turns WHERE state = 'waiting' AND approval_id = ?", [textOr(row, 'id', '')]) !==
      undefined;
    const state = oneOf(row, 'state', ['pending', 'decided', 'expired'], 'expired');
    insert({ ...row, state: state === 'pending' && !waits ? 'expired' : state });
  }
  return skipped;
}
