import type { SqlValue } from '../../engine/sqlDatabase';
import { StoreError } from '../../storeError';
import { copiedColumns, copiedValues } from '../tables/activeRows';
import { hasRow, texts } from '../tables/columns';
import { idOf, kindOf, SyncDocuments } from './syncDocuments';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from '../operations/storeOperations';

interface SplitInput {
  readonly conversationId: string;
  /** Id of the branch. */
  readonly branchId: string;
  /** Name of this machine, for the branch's title. */
  readonly machine: string;
  /** Documents that were changed here since both machines had the same. */
  readonly changed: readonly string[];
  /** Of those, the ones that the server does not know. */
  readonly unknown: ReadonlySet<string>;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** Makes a branch of what this machine added to a conversation while another machine continued it too. The conversation
 *  is left without these rows: the caller writes the other machine's. Every row that only this machine has is in the
 *  branch, also hidden ones. Runs inside its caller's transaction, and no turn of the conversation is open. */
export class SyncSplit extends StorePart<StoreOperations> {
  private readonly documents = new SyncDocuments(this.store);

  split(input: SplitInput): void {
    const { conversationId, branchId, changed, unknown } = input;
    this.keep(input);
    this.database.run(
      `UPDATE queue SET session_id = ?1, conversation_id = ?1, place = place + (SELECT coalesce(max(place), 0)
       FROM queue WHERE conversation_id = ?1)
       WHERE conversation_id = ?2`,
      [branchId, conversationId],
    );
    for (const document of changed)
      if (kindOf(document) === 'session' && unknown.has(document))
        this.database.run('DELETE FROM sessions WHERE id = ? AND conversation_id = ?', [
          idOf(document),
          conversationId,
        ]);
  }

  /** Makes the branch, and removes its rows from the conversation. */
  keep(input: SplitInput): void {
    const { conversationId, branchId, changed } = input;
    // A session in the trash has no branches.
    const trashedAt = this.setTrashed(conversationId, null);
    // Another machine may have made it of the same turns.
    const isKnown = hasRow(this.database, 'SELECT 1 AS n FROM sessions WHERE conversation_id = ?', [branchId]);
    if (!isKnown) this.branch(input);
    this.setTrashed(conversationId, trashedAt);
    const own = changed.filter((document) => kindOf(document) === 'turn' || kindOf(document) === 'message');
    for (const document of own) this.keepDocument(conversationId, branchId, document);
    // What it was hidden with may be a turn that both machines have, which the branch does not.
    this.database.run(
      `UPDATE messages SET hidden_with = NULL WHERE session_id = ? AND hidden_with IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = messages.hidden_with)`,
      [branchId],
    );
    this.documents.remove(conversationId, own);
  }

  /** Returns what it was before. */
  private setTrashed(conversationId: string, at: SqlValue): SqlValue {
    const before = this.database.get('SELECT trashed_at FROM sessions WHERE id = ?', [conversationId])?.['trashed_at'];
    this.database.run('UPDATE sessions SET trashed_at = ?1 WHERE conversation_id = ?2 AND trashed_at IS NOT ?1', [
      at,
      conversationId,
    ]);
    return before ?? null;
  }

  private branch({ conversationId, branchId, machine, now }: SplitInput): void {
    const { sessions, branching, titling } = this.store;
    const tip = sessions.require(sessions.tip(conversationId));
    try {
      const input = { sessionId: tip.id, childId: branchId, upTo: null, now };
      const begun = branching.begin(input);
      if ('stored' in begun) return;
      let { progress } = begun;
      while (!progress.hasAllRows || progress.turns.length > 0) progress = branching.advance(progress, branchId);
      branching.publish(progress, input);
    } catch (error) {
      // Nothing of the session is shown: the branch has only the rows that are hidden.
      if (!(error instanceof StoreError) || error.causeClass !== 'invalid') throw error;
      sessions.create({
        id: branchId,
        startedAt: now,
        parentSessionId: tip.id,
        parentKind: 'branch',
        model: tip.model,
        folder: tip.folder,
      });
    }
    const title = tip.title ?? sessions.require(conversationId).title;
    if (title !== null) {
      this.database.run('UPDATE sessions SET title = NULL, title_source = NULL WHERE id = ?', [branchId]);
      titling.set(branchId, `${title} (${machine})`, 'model');
    }
  }

  /** Copies what the branch does not have yet of a turn or row: rows that are hidden, or in an earlier segment. */
  private keepDocument(conversationId: string, branchId: string, document: string): void {
    const id = idOf(document);
    const key = kindOf(document) === 'turn' ? 'turn_uid' : 'uid';
    const own = 'session_id IN (SELECT id FROM sessions WHERE conversation_id = ?2)';
    const missing = texts(
      this.database,
      `SELECT uid FROM messages m WHERE ${key} = ?1 AND ${own} AND m.carried_from IS NULL
           AND NOT EXISTS (SELECT 1 FROM messages c WHERE c.session_id = ?3
             AND (c.uid = ?3 || '/' || m.uid OR c.copied_from = m.uid)) ORDER BY session_id, position`,
      [id, conversationId, branchId],
    );
    for (const uid of missing)
      this.database.run(
        `INSERT INTO messages (uid, session_id, turn_uid, position, copied_from, hidden_with, ${copiedColumns})
         SELECT ?2 || '/' || uid, ?2, ?2 || '/' || turn_uid, ?3, uid, ?2 || '/' || hidden_with, ${copiedValues}
         FROM messages WHERE uid = ?1`,
        [uid, branchId, this.store.messages.endPosition(branchId)],
      );
    if (missing.length > 0)
      this.database.run(
        `UPDATE messages SET active = 0, hidden_reason = coalesce(hidden_reason, 'compressed')
         WHERE uid IN (SELECT ?2 || '/' || value FROM json_each(?1))`,
        [JSON.stringify(missing), branchId],
      );
    this.database.run(
      `INSERT INTO message_revisions (message_uid, revised_at, content, parts, row_version)
       SELECT c.uid, r.revised_at, r.content, r.parts, r.row_version FROM message_revisions r
         JOIN messages m ON m.uid = r.message_uid JOIN messages c ON c.uid = ?3 || '/' || m.uid
       WHERE m.${key} = ?1 AND m.${own}
         AND NOT EXISTS (SELECT 1 FROM message_revisions k WHERE k.message_uid = c.uid AND k.revised_at = r.revised_at
           AND k.parts IS r.parts AND k.content IS r.content)`,
      [id, conversationId, branchId],
    );
    if (key === 'turn_uid') this.keepTurn(conversationId, branchId, id);
  }

  private keepTurn(conversationId: string, branchId: string, turnUid: string): void {
    this.database.run(
      `INSERT OR IGNORE INTO turns (uid, session_id, conversation_id, user_message_uid, model, state, outcome,
       stop_reason, failure, started_at, settled_at, usage, recalled, supersedes)
       SELECT ?1 || '/' || uid, ?1, ?1, ?1 || '/' || user_message_uid, model, 'settled', outcome, stop_reason, failure,
       started_at, settled_at, usage, recalled, ?1 || '/' || supersedes
       FROM turns WHERE uid = ?2 AND conversation_id = ?3`,
      [branchId, turnUid, conversationId],
    );
    for (const table of ['approvals', 'file_changes'])
      this.database.run(
        `UPDATE ${table} SET session_id = ?1, turn_uid = ?1 || '/' || turn_uid
         WHERE turn_uid = ?2 AND session_id IN (SELECT id FROM sessions WHERE conversation_id = ?3)`,
        [branchId, turnUid, conversationId],
      );
  }
}
