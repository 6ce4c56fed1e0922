import { countOf, hasRow, textIn, texts } from '../../tables/columns';
import type { ChangeRecord } from './changeRecord';
import { StorePart } from '../../tables/storePart';
import type { StoreOperations } from '../storeOperations';

const counted = `FROM messages WHERE session_id = ?1 AND active = 1 AND display_kind IS NULL AND carried_from IS NULL`;

/** Repairs of sessions and turns as a whole. Every method runs inside its caller's transaction. */
export class SessionSteps extends StorePart<StoreOperations> {
  sequence(sessionId: string, at: number, record: ChangeRecord): void {
    if (this.sessions.find(sessionId) === null) return;
    this.recordingRows(sessionId, record, (plan) => {
      const repair = this.store.rewriting.planned(sessionId, at);
      plan([...repair.rewritten.map(({ uid }) => uid), ...repair.hidden.map(({ uid }) => uid)]);
      this.store.rewriting.apply(sessionId, repair);
    });
  }

  closeTurn(turnUid: string, at: number, record: ChangeRecord): void {
    const turn = this.turns.find(turnUid);
    if (turn?.state !== 'settled') return;
    const uids = record.beforeAll('messages', 'turn_uid = ?', [turnUid]);
    this.store.closing.close(turn, turn.stopReason, at);
    this.recordMade('turn_uid = ?', turnUid, new Set(uids), record);
  }

  /** Ends a turn that waits for an approval which is not asked. */
  settleTurn(turnUid: string, at: number, record: ChangeRecord): void {
    const turn = this.turns.find(turnUid);
    if (turn?.state !== 'waiting') return;
    record.before('turns', turnUid);
    record.beforeAll('approvals', 'turn_uid = ?', [turnUid]);
    this.turns.settle(turnUid, { outcome: 'interrupted', stopReason: 'crash', failure: null }, at);
    this.closeTurn(turnUid, at, record);
  }

  moveTurn(turnUid: string, record: ChangeRecord): void {
    record.before('turns', turnUid);
    this.database.run(
      `UPDATE turns SET conversation_id = (SELECT s.conversation_id FROM sessions s WHERE s.id = turns.session_id)
       WHERE uid = ?`,
      [turnUid],
    );
  }

  recount(sessionId: string, record: ChangeRecord): void {
    const counts = this.database.get('SELECT message_count, tool_call_count FROM sessions WHERE id = ?', [sessionId]);
    if (counts === undefined) return;
    const messages = countOf(this.database, `SELECT count(*) AS n ${counted}`, [sessionId]);
    const calls = countOf(this.database, `SELECT count(*) AS n ${counted} AND tool_call_id IS NOT NULL`, [sessionId]);
    const before = { messages: counts['message_count'], calls: counts['tool_call_count'] };
    this.database.run('UPDATE sessions SET message_count = ?, tool_call_count = ? WHERE id = ?', [
      messages,
      calls,
      sessionId,
    ]);
    record.recounts.push({
      sessionId,
      messages: messages - (typeof before.messages === 'number' ? before.messages : 0),
      calls: calls - (typeof before.calls === 'number' ? before.calls : 0),
    });
  }

  /** Removes a parent that is not stored. Without its first segment, the oldest one left begins the conversation. */
  detach(sessionId: string, record: ChangeRecord): void {
    const session = this.sessions.find(sessionId);
    if (session === null) return;
    const { conversationId, parentSessionId } = session;
    if (parentSessionId !== null && this.sessions.find(parentSessionId) === null) {
      record.before('sessions', sessionId);
      this.database.run(
        `UPDATE sessions SET parent_session_id = NULL, parent_kind = iif(parent_kind = 'compression', NULL, parent_kind)
         WHERE id = ?`,
        [sessionId],
      );
    }
    if (this.sessions.find(conversationId) !== null) return;
    for (const table of ['sessions', 'turns', 'queue'] as const) {
      record.beforeAll(table, 'conversation_id = ?', [conversationId]);
      this.database.run(`UPDATE ${table} SET conversation_id = ? WHERE conversation_id = ?`, [
        this.firstOf(conversationId) ?? sessionId,
        conversationId,
      ]);
    }
  }

  reopen(sessionId: string, record: ChangeRecord): void {
    if (this.sessions.find(sessionId)?.endReason !== 'compression') return;
    if (this.sessions.continuation(sessionId) !== null) return;
    record.before('sessions', sessionId);
    this.database.run('UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?', [sessionId]);
  }

  restoreSession(sessionId: string, at: number, record: ChangeRecord): void {
    if (hasRow(this.database, 'SELECT 1 AS n FROM sessions WHERE id = ?', [sessionId])) return;
    this.sessions.create({ id: sessionId, startedAt: at });
    record.madeSessions.push(sessionId);
    this.recount(sessionId, record);
    this.database.run(
      `UPDATE sessions SET turn_count = (SELECT count(*) FROM turns WHERE session_id = ?1 AND supersedes IS NULL)
       WHERE id = ?1`,
      [sessionId],
    );
  }

  expireApproval(approvalId: string, record: ChangeRecord): void {
    record.before('approvals', approvalId);
    this.database.run(
      `UPDATE approvals SET state = 'expired' WHERE id = ? AND state = 'pending' AND NOT EXISTS
         (SELECT 1 FROM turns t WHERE t.uid = approvals.turn_uid AND t.state = 'waiting'
           AND t.approval_id = approvals.id)`,
      [approvalId],
    );
  }

  rebuildIndex(): void {
    this.store.index.rebuild();
  }

  private firstOf(conversationId: string): string | null {
    return textIn(
      this.database,
      'SELECT id FROM sessions WHERE conversation_id = ? AND pending IS NULL ORDER BY started_at, rowid LIMIT 1',
      [conversationId],
    );
  }

  private recordingRows(
    sessionId: string,
    record: ChangeRecord,
    change: (plan: (uids: readonly string[]) => void) => void,
  ): void {
    const before = new Set(this.uidsOf('session_id = ?', sessionId));
    change((uids) => uids.forEach((uid) => record.before('messages', uid)));
    this.recordMade('session_id = ?', sessionId, before, record);
  }

  private recordMade(where: string, param: string, before: ReadonlySet<string>, record: ChangeRecord): void {
    for (const uid of this.uidsOf(where, param)) if (!before.has(uid)) record.made('messages', uid);
  }

  private uidsOf(where: string, param: string): readonly string[] {
    return texts(this.database, `SELECT uid FROM messages WHERE ${where}`, [param]);
  }
}
