import type { SqlRow } from '../../../engine/sqlDatabase';
import { sameCall } from '../../../../transcript/callIds';
import type { Message, NewMessage } from '../../../../transcript/message';
import type { AssistantPart } from '../../../../transcript/part';
import { foldChunks, readChunkRow, type StoredChunk } from '../../tables/chunkFolding';
import { readText } from '../../tables/columns';
import { readMessageRow } from '../../tables/messageRow';
import type { ChangeRecord } from './changeRecord';
import { StorePart } from '../../tables/storePart';

/** Repairs of single messages. Rows of an open turn stay as they are: they are still being written. Every method runs
 *  inside its caller's transaction. */
export class RowSteps extends StorePart {
  /** Adds text that arrived to its message, and ends the message. */
  fold(uid: string, record: ChangeRecord): void {
    const row = this.settledRow(uid);
    if (row === null) return;
    record.before('messages', uid);
    const stored = readMessageRow(row);
    const { message } = stored;
    const chunks = this.database
      .all('SELECT * FROM stream_chunks WHERE message_uid = ? ORDER BY seq', [uid])
      .map(readChunkRow);
    if (message.role === 'assistant') {
      const missing = chunks.filter((chunk) => !isFolded(message.parts, chunk));
      const lastSeq = Math.max(message.lastSeq, ...chunks.map(({ seq }) => seq));
      this.messages.write(stored, { ...message, parts: foldChunks(message.parts, missing), state: 'final', lastSeq });
    }
    this.database.run('DELETE FROM stream_chunks WHERE message_uid = ?', [uid]);
    this.database.run("UPDATE messages SET state = 'final' WHERE uid = ?", [uid]);
  }

  /** Makes a message of what the reader shows of a damaged row. The raw parts become an earlier version. */
  reread(uid: string, record: ChangeRecord): void {
    const row = this.settledRow(uid);
    if (row === null) return;
    const stored = this.messages.read(row);
    if (stored.readable) return;
    record.before('messages', uid);
    this.messages.write(stored, finalOf(stored.message));
  }

  hide(uid: string, absorbedInto: string | null, record: ChangeRecord): void {
    const row = this.settledRow(uid);
    if (row === null || row['active'] !== 1) return;
    record.before('messages', uid);
    this.messages.hide(uid, 'dropped', absorbedInto);
  }

  /** Shows a row whose version or original is not stored. Twice shown is better than never. */
  show(uid: string, record: ChangeRecord): void {
    record.before('messages', uid);
    this.database.run(
      `UPDATE messages SET active = 1, hidden_reason = NULL, hidden_with = NULL WHERE uid = ?1 AND hidden_with IS NOT NULL
         AND hidden_reason IN ('retried', 'edited')`,
      [uid],
    );
    this.database.run(
      `UPDATE messages SET hidden_with = iif(EXISTS (SELECT 1 FROM turns t WHERE t.uid = messages.hidden_with),
           hidden_with, NULL),
         carried_from = iif(EXISTS (SELECT 1 FROM messages o WHERE o.uid = messages.carried_from), carried_from, NULL)
       WHERE uid = ?`,
      [uid],
    );
  }

  /** Removes references to rows that are not stored. */
  unlink(uid: string, record: ChangeRecord): void {
    record.before('messages', uid);
    this.database.run(
      `UPDATE messages SET
         hidden_with = iif(active = 1, NULL, hidden_with),
         copied_from = iif(EXISTS (SELECT 1 FROM messages o WHERE o.uid = messages.copied_from), copied_from, NULL),
         absorbed_into = iif(EXISTS (SELECT 1 FROM messages o WHERE o.uid = messages.absorbed_into),
           absorbed_into, NULL),
         turn_uid = iif(EXISTS (SELECT 1 FROM turns t WHERE t.uid = messages.turn_uid), turn_uid, NULL)
       WHERE uid = ?`,
      [uid],
    );
  }

  setArguments(uid: string, callId: string, text: string, record: ChangeRecord): void {
    this.rewriteCalls(uid, record, (part) => (part.callId === callId ? { ...part, arguments: text } : part));
  }

  /** Gives a call, its result and what else names it another id. */
  renameCall(uid: string, callId: string, to: string, record: ChangeRecord): void {
    const row = this.settledRow(uid);
    if (row === null) return;
    const turnUid = readText(row, 'turn_uid', null);
    const isOnlyOne = this.callsInTurn(turnUid, callId) === 1;
    const result = this.resultOf(row, callId);
    this.rewriteCalls(uid, record, (part) => (part.callId === callId ? { ...part, callId: to } : part));
    if (result !== null) {
      record.before('messages', result.message.uid);
      const [part] = result.message.parts;
      this.messages.write(result.stored, { ...result.message, parts: [{ ...part, callId: to }] });
    }
    record.beforeAll('approvals', 'message_uid = ? AND call_id = ?', [uid, callId]);
    this.database.run('UPDATE approvals SET call_id = ? WHERE message_uid = ? AND call_id = ?', [to, uid, callId]);
    // Changed files name a turn and a call: within one turn they belong to the first call of that id.
    if (!isOnlyOne) return;
    record.beforeAll('file_changes', 'turn_uid = ? AND call_id = ?', [turnUid, callId]);
    this.database.run('UPDATE file_changes SET call_id = ? WHERE turn_uid = ? AND call_id = ?', [to, turnUid, callId]);
  }

  private rewriteCalls(
    uid: string,
    record: ChangeRecord,
    change: (part: AssistantPart & { readonly kind: 'toolCall' }) => AssistantPart,
  ): void {
    const row = this.settledRow(uid);
    if (row === null) return;
    const stored = this.messages.read(row);
    const { message } = stored;
    if (message.role !== 'assistant' || !stored.readable) return;
    record.before('messages', uid);
    const parts = message.parts.map((part) => (part.kind === 'toolCall' ? change(part) : part));
    this.messages.write(stored, { ...message, parts });
  }

  private resultOf(row: SqlRow, callId: string) {
    const following = this.database.iterate(
      'SELECT * FROM messages WHERE session_id = ? AND active = 1 AND position > ? ORDER BY position',
      [row['session_id'] ?? null, row['position'] ?? null],
    );
    for (const next of following) {
      const stored = this.messages.read(next);
      const { message } = stored;
      if (message.role !== 'tool') return null;
      if (stored.readable && sameCall(message.parts[0].callId, callId)) return { stored, message };
    }
    return null;
  }

  private callsInTurn(turnUid: string | null, callId: string): number {
    const rows = this.messages.readAll(
      this.database.all("SELECT * FROM messages WHERE turn_uid = ? AND active = 1 AND role = 'assistant'", [turnUid]),
    );
    return rows.flatMap(({ parts }) => parts.filter((part) => part.kind === 'toolCall' && part.callId === callId))
      .length;
  }

  /** The row, unless its turn is open. */
  private settledRow(uid: string): SqlRow | null {
    return (
      this.database.get(
        `SELECT * FROM messages m WHERE uid = ?
           AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = m.turn_uid AND t.state <> 'settled')`,
        [uid],
      ) ?? null
    );
  }
}

function finalOf(message: Message): NewMessage {
  return message.role === 'assistant' ? { ...message, state: 'final' } : message;
}

/** True when the message already holds the text of a chunk at its place. */
function isFolded(parts: readonly AssistantPart[], { part, kind, start, text }: StoredChunk): boolean {
  const found = parts[part];
  return found?.kind === kind && found.text.startsWith(text, start);
}
