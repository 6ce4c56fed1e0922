import type { SqlRow } from '../../engine/sqlDatabase';
import type {
  FoundRows,
  OutlineRow,
  StoredRow,
  StoredRows as RowsAndTheirs,
  StoredTextQuery,
  TranscriptSlice,
} from '../../requests';
import { hiddenReasons, type Message } from '../../../transcript/message';
import { holdsText } from '../../../transcript/storedText';
import { readApproval } from '../tables/approvalTable';
import { readBoolean, oneOf, readPosition, readText } from '../tables/columns';
import { invalid } from '../tables/refusal';
import { readTurnRow } from '../tables/turnRow';
import { StorePart } from '../tables/storePart';

const outlineColumns = `m.uid, m.session_id, m.turn_uid, m.position, m.role, m.active, m.display_kind, m.hidden_reason,
  m.absorbed_into, t.state AS turn_state, t.outcome AS turn_outcome,
  EXISTS (SELECT 1 FROM message_revisions r WHERE r.message_uid = m.uid) AS revised`;

/** Raw rows of a transcript. Every method runs inside its caller's read transaction. */
export class RawRows extends StorePart {
  outline(query: TranscriptSlice): readonly OutlineRow[] {
    return this.slice(query, outlineColumns, 'LEFT JOIN turns t ON t.uid = m.turn_uid').map(readOutlineRow);
  }

  find({ text, matchCase, ...query }: TranscriptSlice & StoredTextQuery): FoundRows {
    const rows = this.messages.readAll(this.slice(query, 'm.*', ''));
    return {
      uids: rows.filter(({ parts }) => holdsText(parts, text, matchCase)).map(({ uid }) => uid),
      upTo: rows.at(-1)?.position ?? null,
      read: rows.length,
    };
  }

  named(uids: readonly string[]): RowsAndTheirs {
    const named = JSON.stringify(uids);
    const messages = this.messages.readAll(
      this.database.all('SELECT * FROM messages WHERE uid IN (SELECT value FROM json_each(?)) ORDER BY position', [
        named,
      ]),
    );
    const turns = turnsOf(messages);
    const ofTurns = [JSON.stringify(turns)];
    return {
      messages,
      turns: this.database
        .all('SELECT * FROM turns WHERE uid IN (SELECT value FROM json_each(?)) ORDER BY id', ofTurns)
        .map(readTurnRow),
      approvals: this.database
        .all(
          'SELECT * FROM approvals WHERE turn_uid IN (SELECT value FROM json_each(?)) ORDER BY requested_at, rowid',
          ofTurns,
        )
        .map(readApproval),
      fileChanges: this.store.files.of(turns),
    };
  }

  row(uid: string): StoredRow | null {
    const row = this.database.get('SELECT * FROM messages WHERE uid = ?', [uid]);
    if (row === undefined) return null;
    const { api_content: wireText, ...columns } = row;
    return {
      columns: plain(columns),
      wireTextLength: typeof wireText === 'string' ? wireText.length : null,
      chunks: this.database
        .all('SELECT seq, part, kind, start, text FROM stream_chunks WHERE message_uid = ? ORDER BY seq', [uid])
        .map(plain),
    };
  }

  /** Reads segment by segment, each through the index of its positions: their ranges are consecutive. */
  private slice({ sessionId, after, limit }: TranscriptSlice, columns: string, join: string): readonly SqlRow[] {
    if (!Number.isInteger(limit) || limit < 1) throw invalid('a slice without room for a row');
    const { conversationId } = this.sessions.require(sessionId);
    const segments = this.database.all(
      `SELECT id FROM sessions s WHERE conversation_id = ?
       ORDER BY (SELECT min(position) FROM messages m WHERE m.session_id = s.id) NULLS LAST`,
      [conversationId],
    );
    const rows: SqlRow[] = [];
    for (const segment of segments.length === 0 ? [{ id: sessionId }] : segments) {
      if (rows.length === limit) break;
      rows.push(
        ...this.database.all(
          `SELECT ${columns} FROM messages m ${join}
           WHERE m.session_id = ? AND m.carried_from IS NULL AND m.position > ? ORDER BY m.position LIMIT ?`,
          [readText(segment, 'id', ''), after ?? Number.MIN_SAFE_INTEGER, limit - rows.length],
        ),
      );
    }
    return rows;
  }
}

function readOutlineRow(row: SqlRow): OutlineRow {
  const hidden = !readBoolean(row, 'active');
  return {
    uid: readText(row, 'uid', ''),
    sessionId: readText(row, 'session_id', ''),
    turnUid: readText(row, 'turn_uid', null),
    position: readPosition(row, 'position', 0),
    role: oneOf(row, 'role', ['user', 'assistant', 'tool'], 'assistant'),
    visibility: hidden ? 'hidden' : (oneOf(row, 'display_kind', ['closing', 'handoff'], null) ?? 'shown'),
    hiddenReason: hidden ? oneOf(row, 'hidden_reason', hiddenReasons, 'dropped') : null,
    absorbedInto: readText(row, 'absorbed_into', null),
    turn: turnWord(row),
    revised: readBoolean(row, 'revised'),
  };
}

function turnWord(row: SqlRow): OutlineRow['turn'] {
  const state = oneOf(row, 'turn_state', ['running', 'waiting', 'settled'], null);
  return state === 'settled' ? oneOf(row, 'turn_outcome', ['complete', 'interrupted', 'failed'], 'failed') : state;
}

function turnsOf(messages: readonly Message[]): readonly string[] {
  return [...new Set(messages.flatMap(({ turnUid }) => turnUid ?? []))];
}

/** No column of these tables holds bytes. */
function plain(row: SqlRow): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (value instanceof Uint8Array ? [] : [[name, value] as const])),
  );
}
