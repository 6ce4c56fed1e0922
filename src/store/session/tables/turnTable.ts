import type { OpenTurn } from '../../requests';
import type { Session } from '../../../transcript/session';
import type { Settlement, Turn, Recalled } from '../../../transcript/turn';
import { addUsage, type Usage } from '../../../transcript/usage';
import { insertRow, texts } from './columns';
import { notFound } from './refusal';
import { readTurnRow } from './turnRow';
import { StorePart } from './storePart';

/** Rows of `turns`. Every method runs inside its caller's transaction. */
export class TurnTable extends StorePart {
  find(uid: string): Turn | null {
    const row = this.database.get('SELECT * FROM turns WHERE uid = ?', [uid]);
    return row === undefined ? null : readTurnRow(row);
  }

  require(uid: string): Turn {
    const turn = this.find(uid);
    if (turn === null) throw notFound('turn', uid);
    return turn;
  }

  /** The open turn, which holds the slot of a conversation. */
  openOf(conversationId: string): Turn | null {
    const row = this.database.get("SELECT * FROM turns WHERE conversation_id = ? AND state <> 'settled'", [
      conversationId,
    ]);
    return row === undefined ? null : readTurnRow(row);
  }

  // The methods below run at every opening. SQLite uses the index of open turns only if the query repeats its
  // condition; without it all turns are read, 90 ms at 30,000.

  /** Settles turns with an invalid state, a missing session, or an id by which nothing finds them: they must not hold
   *  their conversation's slot. */
  endOddStates(): void {
    this.database.run(
      `UPDATE turns INDEXED BY turns_slot SET state = 'settled', settled_at = coalesce(settled_at, started_at)
       WHERE state <> 'settled' AND (state NOT IN ('running', 'waiting') OR typeof(uid) <> 'text'
         OR NOT EXISTS (SELECT 1 FROM sessions WHERE id = turns.session_id))`,
    );
  }

  /** Sessions with an open turn. */
  openSessions(): readonly string[] {
    return texts(this.database, "SELECT DISTINCT session_id FROM turns INDEXED BY turns_slot WHERE state <> 'settled'");
  }

  running(): readonly Turn[] {
    return this.database
      .all("SELECT * FROM turns INDEXED BY turns_slot WHERE state <> 'settled' AND state = 'running' ORDER BY id")
      .map(readTurnRow);
  }

  waitingFor(approvalId: string): Turn | null {
    const row = this.database.get(
      "SELECT * FROM turns INDEXED BY turns_slot WHERE state <> 'settled' AND approval_id = ?",
      [approvalId],
    );
    return row === undefined ? null : readTurnRow(row);
  }

  /** Turns of sub-agents that await approval, while no running turn takes their answer. */
  waitingForNobody(): readonly Turn[] {
    return this.database
      .all(
        `SELECT t.* FROM turns t INDEXED BY turns_slot
         JOIN sessions root ON root.id = t.conversation_id AND root.parent_kind = 'delegate'
         WHERE t.state <> 'settled' AND t.state = 'waiting' AND NOT EXISTS (
           SELECT 1 FROM sessions p
           JOIN turns caller ON caller.conversation_id = p.conversation_id AND caller.state = 'running'
           WHERE p.id = root.parent_session_id)
         ORDER BY t.id`,
      )
      .map(readTurnRow);
  }

  insert(input: OpenTurn, session: Session): void {
    insertRow(this.database, 'turns', {
      uid: input.turnUid,
      session_id: session.id,
      conversation_id: session.conversationId,
      user_message_uid: input.userMessage.uid,
      model: input.model,
      state: 'running',
      started_at: input.startedAt,
      supersedes: input.replaces?.turnUid ?? null,
    });
  }

  addUsage(turn: Turn, usage: Usage): void {
    const sum = turn.usage === null ? usage : addUsage(turn.usage, usage);
    this.database.run('UPDATE turns SET usage = ? WHERE uid = ?', [JSON.stringify(sum), turn.uid]);
  }

  setRecalled(uid: string, found: readonly Recalled[]): void {
    this.database.run('UPDATE turns SET recalled = ? WHERE uid = ?', [
      found.length === 0 ? null : JSON.stringify(found),
      uid,
    ]);
  }

  wait(uid: string, approvalId: string): void {
    this.database.run("UPDATE turns SET state = 'waiting', approval_id = ? WHERE uid = ? AND state = 'running'", [
      approvalId,
      uid,
    ]);
  }

  resume(uid: string, approvalId: string): void {
    this.database.run(
      "UPDATE turns SET state = 'running', approval_id = NULL WHERE uid = ? AND state = 'waiting' AND approval_id = ?",
      [uid, approvalId],
    );
  }

  /** Settles a turn and expires its pending approvals. */
  settle(uid: string, { outcome, stopReason, failure }: Settlement, at: number): void {
    this.database.run(
      `UPDATE turns SET state = 'settled', approval_id = NULL, outcome = ?, stop_reason = ?, failure = ?, settled_at = ?
       WHERE uid = ?`,
      [outcome, stopReason, failure === null ? null : JSON.stringify(failure), at, uid],
    );
    this.database.run("UPDATE approvals SET state = 'expired' WHERE turn_uid = ? AND state = 'pending'", [uid]);
  }
}

/** SQL for the time at which the newest settled turn of a conversation was settled. Newest by number: times may come
 *  from wrong clocks. */
export function lastSettled(conversation: string): string {
  return `(SELECT t.settled_at FROM turns t
    WHERE t.conversation_id = ${conversation} AND t.state = 'settled' ORDER BY t.id DESC LIMIT 1)`;
}
