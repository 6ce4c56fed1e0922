import type { SqlRow } from '../../engine/sqlDatabase';
import type { ApiContent } from '../../requests';
import { readText } from './columns';
import { invalid } from './refusal';
import { StorePart } from './storePart';

/** The column `api_content`. Every method runs inside its caller's transaction. */
export class WireTextTable extends StorePart {
  set(messageUid: string, text: string): void {
    const row = this.database.get('SELECT role FROM messages WHERE uid = ?', [messageUid]);
    if (row?.['role'] !== 'user') throw invalid(`message ${messageUid} is no prompt and has no wire text`);
    this.database.run('UPDATE messages SET api_content = ? WHERE uid = ?', [text.toWellFormed(), messageUid]);
  }

  read(row: SqlRow): ApiContent {
    return { messageUid: readText(row, 'uid', ''), text: readText(row, 'api_content', '') };
  }

  /** Copies the wire texts to rows that repeat rows of an earlier segment, so that they are sent identically. */
  carry(sessionId: string): void {
    this.database.run(
      `UPDATE messages SET api_content = (SELECT m.api_content FROM messages m WHERE m.uid = messages.carried_from)
       WHERE session_id = ? AND carried_from IS NOT NULL AND role = 'user'`,
      [sessionId],
    );
  }
}
