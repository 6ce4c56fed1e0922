import type { SqlDatabase } from '../engine/sqlDatabase';
import type { ForgottenSessions } from '../conversations';
import type { BranchReference } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';
import { readTurnRow } from './turnRow';
import { textOr } from './columns';
import type { FileChangeTable } from './fileChangeTable';
import { busy } from './refusal';
import type { SessionList } from './sessionList';
import type { SessionTable } from './sessionTable';

/** Set from the deletion until the file was rewritten: deleted rows stay readable in its free pages until then. */
const scrubDue = 'scrub-due';

/** Of the file, in bytes. In a larger one deleted rows are overwritten where they stood (`secure_delete`), but a copy that SQLite left in the
 *  unused part of a page when it once split that page may remain. */
const largestRewritten = 256 * 1024 * 1024;

/** Erases conversations. Deleting is one transaction; rewriting the file follows it, and is made up for when it did not come to pass. */
export class Forgetting {
  constructor(
    private readonly database: SqlDatabase,
    private readonly sessions: SessionTable,
    private readonly list: SessionList,
    private readonly files: FileChangeTable,
  ) {}

  /** Deletes everything of the conversation. Inside its caller's transaction. */
  forget(sessionId: string): Omit<ForgottenSessions, 'isComplete'> {
    const ids = this.belonging(this.sessions.require(sessionId).conversationId);
    const named = JSON.stringify(ids);
    const open = this.openTurn(named);
    if (open !== null) throw busy('This session is still answering. Stop it before you delete it.', open);
    const branches = this.branches(named);
    this.freeCopies(named);
    this.detachBranches(named);
    this.deleteRows(named);
    this.database.run("INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, 'yes')", [scrubDue]);
    return { sessionIds: ids, branches };
  }

  /** Deletes what was trashed before, but for what is pinned or still answering. Inside its caller's transaction. */
  prune(before: number): Omit<ForgottenSessions, 'isComplete'> {
    const old = this.database.all(
      'SELECT DISTINCT conversation_id AS id FROM sessions WHERE trashed_at < ? AND pinned = 0 ORDER BY trashed_at',
      [before],
    );
    const forgotten = old.flatMap((row) => {
      const id = textOr(row, 'id', '');
      // A sub-agent's session went with the one it belongs to.
      return this.sessions.find(id) === null || this.openTurn(JSON.stringify(this.belonging(id))) !== null
        ? []
        : [this.forget(id)];
    });
    const sessionIds = forgotten.flatMap((one) => one.sessionIds);
    const gone = new Set(sessionIds);
    return {
      sessionIds,
      branches: forgotten.flatMap((one) => one.branches).filter(({ sessionId }) => !gone.has(sessionId)),
    };
  }

  get isScrubDue(): boolean {
    return this.database.get('SELECT 1 AS n FROM state_meta WHERE key = ?', [scrubDue]) !== undefined;
  }

  /** Whether the file is small enough to be rewritten: that is done in memory, which the worker never gives back. */
  get isRewritable(): boolean {
    const bytes = this.database.get('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size')?.[
      'n'
    ];
    return typeof bytes === 'number' && bytes <= largestRewritten;
  }

  /** Rewrites the file without what was deleted, and empties the log. Outside any transaction; the index is compact already. */
  scrub(): void {
    if (this.isRewritable) this.database.execute('VACUUM');
    this.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    this.database.run('DELETE FROM state_meta WHERE key = ?', [scrubDue]);
  }

  /** All segments, and the sub-agents' sessions below them. */
  private belonging(conversationId: string): readonly string[] {
    return this.database
      .all(
        `WITH RECURSIVE belonging (id) AS (
           SELECT id FROM sessions WHERE conversation_id = ?
           UNION SELECT s.id FROM belonging JOIN sessions s ON s.parent_session_id = belonging.id AND s.parent_kind IN ('delegate', 'compression')
         )
         SELECT id FROM belonging`,
        [conversationId],
      )
      .map((row) => textOr(row, 'id', ''));
  }

  private openTurn(named: string): Turn | null {
    const row = this.database.get(
      "SELECT * FROM turns WHERE session_id IN (SELECT value FROM json_each(?)) AND state <> 'settled'",
      [named],
    );
    return row === undefined ? null : readTurnRow(row);
  }

  /** Conversations that hold copies, or were branched from here without one. */
  private branches(named: string): readonly BranchReference[] {
    const rows = this.database.all(
      `SELECT DISTINCT conversation_id AS id FROM sessions WHERE id NOT IN (SELECT value FROM json_each(?1)) AND (
         (parent_kind = 'branch' AND parent_session_id IN (SELECT value FROM json_each(?1)))
         OR id IN (SELECT c.session_id FROM messages o JOIN messages c ON c.copied_from = o.uid WHERE o.session_id IN (SELECT value FROM json_each(?1))))
       ORDER BY started_at`,
      [named],
    );
    return rows.flatMap((row) => this.list.reference(textOr(row, 'id', '')) ?? []);
  }

  /** Of the copies of a row that goes, the oldest one is the original from now on. */
  private freeCopies(named: string): void {
    this.database.run(
      `UPDATE messages SET copied_from = nullif(heir.uid, messages.uid) FROM (
         SELECT c.copied_from AS original, c.uid, min(c.id) FROM messages o JOIN messages c ON c.copied_from = o.uid
         WHERE o.session_id IN (SELECT value FROM json_each(?1)) AND c.session_id NOT IN (SELECT value FROM json_each(?1)) GROUP BY c.copied_from
       ) AS heir
       WHERE messages.copied_from = heir.original AND messages.session_id NOT IN (SELECT value FROM json_each(?1))`,
      [named],
    );
  }

  /** They stay branches, of something that is gone: what they begin with is read by that. */
  private detachBranches(named: string): void {
    this.database.run(
      `UPDATE sessions SET parent_session_id = NULL, branched_from = NULL
       WHERE parent_kind = 'branch' AND parent_session_id IN (SELECT value FROM json_each(?1)) AND id NOT IN (SELECT value FROM json_each(?1))`,
      [named],
    );
  }

  /** Chunks and revisions go with their message. A small value whose key ends in a session's id belongs to it. */
  private deleteRows(named: string): void {
    const ofSessions = 'IN (SELECT value FROM json_each(?))';
    for (const table of ['messages', 'turns', 'queue', 'approvals', 'outbox', 'file_changes'])
      this.database.run(`DELETE FROM ${table} WHERE session_id ${ofSessions}`, [named]);
    this.files.dropUnnamed('all');
    this.database.run(`DELETE FROM drafts WHERE key ${ofSessions}`, [named]);
    this.database.run(
      `DELETE FROM state_meta WHERE EXISTS (SELECT 1 FROM json_each(?) s
         WHERE substr(state_meta.key, -length(s.value) - 1) IN ('/' || s.value, ':' || s.value, '.' || s.value))`,
      [named],
    );
    this.database.run(`DELETE FROM sessions WHERE id ${ofSessions}`, [named]);
  }
}
