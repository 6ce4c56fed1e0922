import type { SqlDatabase } from '../../../store/engine/sqlDatabase';
import { readOnly } from '../../../store/library/foreignStore';
import { schemaVersion } from '../../../store/schema/migrations';
import { fileCheck } from '../../../store/session/queries/integrity';
import { readInteger, readText, readTime } from '../../../store/session/tables/columns';
import { StoreError } from '../../../store/storeError';
import { BackupFileSystem, backupFolder } from './backupFileSystem';
import type { BackupFolder } from './folder';
import { chunksOf, type Backup, type SessionEntry, type StoredFile } from './manifest';

/** A backup's database, as an opening of it finds it. */
interface OpenedContents {
  readonly schemaVersion: number;
  /** Every session, also segments and sub-agents' sessions. */
  readonly sessions: readonly SessionEntry[];
  readonly messages: number;
  /** SQLite's own findings; empty when the file is sound. */
  readonly problems: readonly string[];
}

/** Opens a database in the pool, checks it and reads its list of sessions. Writes nothing. Throws a `StoreError` when
 *  it cannot be opened. */
export function openStored({ deps, pool }: BackupFolder, main: StoredFile): OpenedContents {
  return readOnly({ ...deps, fileSystem: new BackupFileSystem(pool, main) }, backupFolder, (database) => ({
    schemaVersion: readInteger(database.get('PRAGMA user_version') ?? {}, 'user_version', 0),
    problems: fileCheck(database),
    sessions: sessionEntries(database),
    messages: readInteger(database.get('SELECT count(*) AS n FROM messages') ?? {}, 'n', 0),
  }));
}

/** Sessions in a store of any version. */
function sessionEntries(database: SqlDatabase): readonly SessionEntry[] {
  return database
    .all(
      `SELECT id, conversation_id, title, last_activity_at, parent_kind,
         (SELECT count(*) FROM messages m WHERE m.session_id = s.id) AS messages
       FROM sessions s ORDER BY started_at, rowid`,
    )
    .map((row) => ({
      id: readText(row, 'id', ''),
      conversationId: readText(row, 'conversation_id', ''),
      title: readText(row, 'title', null),
      lastActivityAt: readTime(row, 'last_activity_at', 0),
      messages: readInteger(row, 'messages', 0),
      isSubAgent: row['parent_kind'] === 'delegate',
    }));
}

/** Reads every chunk of a backup and opens it. Returns what is wrong with it, each by name; empty when it is sound. */
export function verifyBackup(folder: BackupFolder, backup: Backup): readonly string[] {
  const { id, manifest } = backup;
  const damaged = [...chunksOf([backup])].filter((hash) => !folder.pool.isSound(hash));
  if (damaged.length > 0) return damaged.map((hash) => `backup ${id}: chunk ${hash} is damaged or missing`);
  if (manifest.schemaVersion > schemaVersion) return [];
  try {
    const opened = openStored(folder, manifest.main);
    const problems = [...opened.problems];
    if (opened.sessions.length !== manifest.sessions || opened.messages !== manifest.messages)
      problems.push(
        `${opened.sessions.length} sessions and ${opened.messages} messages, expected ${manifest.sessions} and ` +
          `${manifest.messages}`,
      );
    if (folder.sessionsIn(backup).length !== manifest.sessions) problems.push('the list of sessions is incomplete');
    return problems.map((problem) => `backup ${id}: ${problem}`);
  } catch (error) {
    if (error instanceof StoreError) return [`backup ${id}: ${error.technical}`];
    throw error;
  }
}
