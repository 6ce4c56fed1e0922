import { readWhole } from '../../../../../store/engine/fileSystem';
import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { SqlJsDatabase } from '../../../../../store/engine/sqlJsDatabase';
import type { ReadingDeps } from '../../../../../store/library/foreignStore';
import { filledCopy } from '../../../../../store/library/storeCopy';
import { storeFiles } from '../../../../../store/open/storeFiles';
import type { Session } from '../../../../../transcript/session';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';
import { hermesRow, type Columns } from './hermesRow';
import { hermesSchema } from './hermesSchema';
import { HermesSessions } from './hermesSessions';
import type { HermesUsage } from './hermesUsage';

/** Sessions for a `state.db`, one for each segment. */
export interface HermesRecords {
  /** All of them, parents before their children. */
  readonly sessions: ReadonlyMap<string, Session>;
  /** Reads the rows of one; null when it no longer exists. */
  read(id: string): Promise<ExportedSession | null>;
  usageOf(id: string): HermesUsage;
}

/** Returns a `state.db` of Hermes Agent with these sessions. */
export async function hermesDatabase(deps: ReadingDeps, records: HermesRecords): Promise<Uint8Array> {
  const { fileSystem, sqlite } = deps;
  const copy = filledCopy(deps, deps.copies, (folder) => fileSystem.open(storeFiles(folder).main, 'createNew').close());
  try {
    const { main: mainPath, log: logPath } = storeFiles(copy.folder);
    const connection = sqlite.connect({ fileSystem, folder: copy.folder, mainPath, logPath, readOnly: false });
    const database = new SqlJsDatabase(connection, () => undefined);
    try {
      database.execute('PRAGMA journal_mode = MEMORY');
      database.execute(hermesSchema);
      const rows = new HermesSessions(records.sessions);
      for (const id of records.sessions.keys()) {
        const record = await records.read(id);
        if (record === null) continue;
        database.transaction(() => insertSession(database, sentOf(record), rows, records.usageOf(id)));
      }
    } finally {
      database.close();
    }
    return readWhole(fileSystem, mainPath);
  } finally {
    copy.remove();
  }
}

/** Leaves out rows that end a turn without an answer: Hermes repairs such a turn itself. */
function sentOf(record: ExportedSession): ExportedSession {
  return { ...record, messages: record.messages.filter(({ visibility }) => visibility.kind !== 'closing') };
}

function insertSession(database: SqlDatabase, record: ExportedSession, rows: HermesSessions, usage: HermesUsage): void {
  const { id } = record.session;
  insert(database, 'sessions', { ...rows.rowOf(record), ...usage.totals });
  for (const message of record.messages) insert(database, 'messages', { ...hermesRow(message), session_id: id });
  for (const row of usage.byModel) insert(database, 'session_model_usage', { ...row, session_id: id });
}

function insert(database: SqlDatabase, table: string, row: Columns): void {
  const names = Object.keys(row);
  database.run(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    names.map((name) => row[name] ?? null),
  );
}
