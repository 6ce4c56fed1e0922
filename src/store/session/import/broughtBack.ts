import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { rowsOfSessions, StoreImport } from './storeImport';
import type { StoreRows } from './soundRows';
import { readText, hasRow, textIn } from '../tables/columns';
import type { ImportedTable } from '../tables/rights';
import { isSynced } from '../tables/keptElsewhere';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from '../operations/storeOperations';

/** Added to every id of a conversation that is brought back after it was forgotten. It depends on nothing else, so
 *  that all machines make the same rows of it, and a second time makes none. */
const again = '~again';

/** The key ends in the id, so it is deleted with the conversation. */
const markKey = (conversationId: string): string => `brought-back:${conversationId}`;

/** Marks the conversations of these sessions as brought back by hand. A sub-agent's is that of the session it works
 *  for. Runs inside its caller's transaction. */
export function noteBroughtBack(database: SqlDatabase, sessionIds: readonly string[]): void {
  for (const id of new Set(sessionIds.map((of) => rootOf(database, of))))
    database.run("INSERT OR IGNORE INTO state_meta (key, value) VALUES (?, '')", [markKey(id)]);
}

/** What a machine knew of a conversation that it forgot: the last version that its rows were of. */
const forgottenSchema = v.object({ version: v.number(), tail: v.string() });

/** Conversations that the user brought back by hand: from a backup, an export, or the store of another folder. An id
 *  that was forgotten stays forgotten on all machines; what is brought back of it gets new ids. A Forget that this
 *  store does not know may come later, also one from before: so what was brought back is marked with the first version
 *  that was sent of it, and a Forget counts when it was made by a machine that had that version.
 *  The mark: empty until it is sent, then the tail of the sending, then the number of the version.
 *  Every method runs inside its caller's transaction. */
export class BroughtBack extends StorePart<StoreOperations> {
  /** New ids of sessions of another store: of those that were forgotten here. */
  newIds(other: SqlDatabase, sessionIds: readonly string[]): ReadonlyMap<string, string> {
    const renamed = sessionIds.map((id): readonly [string, string] => [id, id + this.suffixOf(rootOf(other, id), '')]);
    return new Map(renamed.filter(([id, newId]) => id !== newId));
  }

  /** `tail`: of the version that is about to be sent. */
  sending(conversationId: string, tail: string): void {
    this.database.run("UPDATE state_meta SET value = ?2 WHERE key = ?1 AND (value = '' OR value LIKE '~%')", [
      markKey(conversationId),
      `~${tail}`,
    ]);
  }

  sent(conversationId: string, version: number, tail: string): void {
    this.database.run('UPDATE state_meta SET value = ?3 WHERE key = ?1 AND value = ?2', [
      markKey(conversationId),
      `~${tail}`,
      String(version),
    ]);
  }

  /** The conversation has what the server has. What was brought back is a version of its own, also if the server had
   *  all of it. `base`: the newest version that the server has not lost. */
  compared(conversationId: string, base: number): void {
    const key = markKey(conversationId);
    this.database.run("UPDATE state_meta SET value = '' WHERE key = ? AND CAST(value AS INTEGER) > ?", [key, base]);
    this.database.run(
      `INSERT OR IGNORE INTO sync_changes (document, conversation_id)
       SELECT 'session/' || id, conversation_id FROM sessions WHERE conversation_id = ?1
         AND EXISTS (SELECT 1 FROM state_meta WHERE key = ?2 AND value = '') ORDER BY rowid LIMIT 1`,
      [conversationId, key],
    );
  }

  /** Copies a conversation that is to be erased under new ids if it was brought back. `later`: not now, because a turn
   *  is open, or because it goes with the session it works for. `known`: what the machine that forgot it knew. */
  keep(conversationId: string, known: string | null): 'kept' | 'later' | 'none' {
    const root = rootOf(this.database, conversationId);
    const row = this.database.get('SELECT value FROM state_meta WHERE key = ?', [markKey(root)]);
    if (row === undefined) return 'none';
    if (root === conversationId && this.wasThere(root, readText(row, 'value', ''), known)) return 'none';
    const ids = this.store.forgetting.belonging(root);
    const open = this.database.get(
      `SELECT 1 AS n FROM turns WHERE state <> 'settled' AND session_id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(ids)],
    );
    if (root !== conversationId || open !== undefined) return 'later';
    const suffix = this.suffixOf(root, again);
    const newIds = new Map(ids.map((id) => [id, id + suffix]));
    const rows = rowsOfSessions(this.database, { sessionIds: ids, moves: true });
    // Read as a whole before the same tables are written.
    const whole: StoreRows = { rows: (table) => (isOfMemory(table) ? [] : [...rows.rows(table)]) };
    new StoreImport(this.store).runForeign(renamedRows(whole, this.database, newIds), [...newIds.values()]);
    noteBroughtBack(this.database, [...newIds.values()]);
    return 'kept';
  }

  /** True when the machine that forgot the conversation had what was brought back of it, or may have had. */
  private wasThere(conversationId: string, mark: string, known: string | null): boolean {
    const first = /^\d+$/.test(mark) ? Number(mark) : Infinity;
    if (known === null) return first < Infinity;
    const seen = parsedAs(forgottenSchema, known);
    if (seen === null || seen.version < first) return false;
    const { version, tail } = seen;
    // The same number may be another version, after a loss of the server.
    const sql = 'SELECT 1 AS n FROM sync_chain WHERE conversation_id = ? AND version = ? AND tail <> ?';
    return !hasRow(this.database, sql, [conversationId, version, tail]);
  }

  private suffixOf(conversationId: string, least: string): string {
    let suffix = least;
    while (this.isErased(conversationId + suffix)) suffix += again;
    return suffix;
  }

  private isErased(conversationId: string): boolean {
    if (!isSynced(this.database)) return false;
    const sql = `SELECT 1 AS n FROM sync_erased WHERE conversation_id = ?1
      UNION ALL SELECT 1 FROM sync_forgotten WHERE conversation_id = ?1`;
    return hasRow(this.database, sql, [conversationId]);
  }
}

/** What memory providers get, and small values: they are of the old ids. */
function isOfMemory(table: ImportedTable): boolean {
  return table === 'outbox' || table === 'state_meta';
}

/** Id of the conversation that a session belongs to, or for which it works as a sub-agent. */
function rootOf(database: SqlDatabase, sessionId: string): string {
  return (
    textIn(
      database,
      `WITH RECURSIVE up (id, depth) AS (
       SELECT conversation_id, 0 FROM sessions WHERE id = ?1
       UNION SELECT p.conversation_id, depth + 1 FROM up
         JOIN sessions s ON s.id = up.id AND s.parent_kind = 'delegate'
         JOIN sessions p ON p.id = s.parent_session_id
       LIMIT 100)
     SELECT id FROM up ORDER BY depth DESC LIMIT 1`,
      [sessionId],
    ) ?? sessionId
  );
}

/** Columns with ids of the same conversation. */
const ownIds: { readonly [T in ImportedTable]?: readonly string[] } = {
  sessions: ['id', 'conversation_id'],
  turns: ['uid', 'session_id', 'conversation_id', 'user_message_uid', 'approval_id', 'supersedes'],
  messages: ['uid', 'session_id', 'turn_uid', 'carried_from', 'hidden_with', 'absorbed_into'],
  stream_chunks: ['message_uid'],
  message_revisions: ['message_uid'],
  approvals: ['id', 'session_id', 'turn_uid', 'message_uid'],
  queue: ['uid', 'session_id', 'conversation_id'],
  outbox: ['uid', 'session_id'],
  file_changes: ['uid', 'session_id', 'turn_uid'],
  drafts: ['key'],
  state_meta: ['key'],
};
/** Columns with the uid of a message that may be in another conversation. */
const otherMessages: { readonly [T in ImportedTable]?: readonly string[] } = {
  sessions: ['branched_from'],
  messages: ['copied_from'],
};

/** The same rows with new ids. `newIds`: of sessions, each its id with something added. `database`: where they are
 *  from. */
export function renamedRows(rows: StoreRows, database: SqlDatabase, newIds: ReadonlyMap<string, string>): StoreRows {
  if (newIds.size === 0) return rows;
  const suffixOf = (sessionId: SqlValue | undefined): string => {
    const id = typeof sessionId === 'string' ? sessionId : '';
    return (newIds.get(id) ?? id).slice(id.length);
  };
  const known = new Map<SqlValue, string>();
  const suffixOfMessage = (uid: SqlValue): string => {
    const suffix =
      known.get(uid) ?? suffixOf(database.get('SELECT session_id FROM messages WHERE uid = ?', [uid])?.['session_id']);
    known.set(uid, suffix);
    return suffix;
  };
  const sessionIn = (key: string): string | undefined =>
    [...newIds.keys()].find((id) => key === id || ['/', ':', '.'].some((mark) => key.endsWith(mark + id)));
  const suffixOfRow = (table: ImportedTable, row: SqlRow): string => {
    if (table === 'stream_chunks' || table === 'message_revisions') return suffixOfMessage(row['message_uid'] ?? null);
    if (table === 'drafts' || table === 'state_meta') return suffixOf(sessionIn(readText(row, 'key', '')));
    return suffixOf(row[table === 'sessions' ? 'id' : 'session_id']);
  };
  const added = (value: SqlValue | undefined, suffix: string): SqlValue =>
    typeof value === 'string' ? value + suffix : (value ?? null);
  return {
    *rows(table) {
      for (const row of rows.rows(table)) {
        const suffix = suffixOfRow(table, row);
        const renamed: Record<string, SqlValue> = { ...row };
        for (const column of ownIds[table] ?? []) if (column in row) renamed[column] = added(row[column], suffix);
        for (const column of otherMessages[table] ?? [])
          if (column in row) renamed[column] = added(row[column], suffixOfMessage(row[column] ?? null));
        if (table === 'sessions')
          renamed['parent_session_id'] = added(row['parent_session_id'], suffixOf(row['parent_session_id']));
        yield renamed;
      }
    },
  };
}
