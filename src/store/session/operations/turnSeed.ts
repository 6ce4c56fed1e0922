import type { SqlDatabase } from '../../engine/sqlDatabase';
import type { SpilledTurn } from '../../sessionStore';
import type { Message } from '../../../transcript/message';
import type { Session } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import { MessageTable } from '../tables/messageTable';
import { SessionTable } from '../tables/sessionTable';

/** Puts a running turn and the rows it depends on into an empty database, each at its position in the original
 *  store. Runs inside its caller's transaction. */
export function seedTurn(
  database: SqlDatabase,
  now: () => number,
  { sessions, turn }: Omit<SpilledTurn, 'requests'>,
  history: readonly Message[],
): void {
  const [sessionTable, messages] = [new SessionTable(database, now), new MessageTable(database, now)];
  for (const { id, startedAt, model, folder, title, titleSource, conversationId } of sessions) {
    sessionTable.create({ id, startedAt, model, folder, title, titleSource });
    // The session's ancestors are not in this database, so its conversation is set directly.
    database.run('UPDATE sessions SET conversation_id = ? WHERE id = ?', [conversationId, id]);
  }
  insertRunningTurn(database, turn, sessionTable.require(turn.sessionId));
  const taken = new Set<string>();
  for (const row of history) {
    const place = `${row.sessionId} ${row.position}`;
    messages.insert(row, taken.has(place) ? messages.endPosition(row.sessionId) : row.position);
    taken.add(place);
  }
}

/** Inserts a turn in the running state that it has elsewhere. */
export function insertRunningTurn(database: SqlDatabase, turn: Turn, { conversationId }: Session): void {
  database.run(
    `INSERT INTO turns (uid, session_id, conversation_id, user_message_uid, model, state, started_at, supersedes, usage,
     recalled)
     VALUES (?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)`,
    [
      turn.uid,
      turn.sessionId,
      conversationId,
      turn.userMessageUid,
      turn.model,
      turn.startedAt,
      turn.supersedes,
      turn.usage === null ? null : JSON.stringify(turn.usage),
      turn.recalled === undefined ? null : JSON.stringify(turn.recalled),
    ],
  );
}
