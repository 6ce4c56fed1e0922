import type { SqlRow } from '../../engine/sqlDatabase';
import type { MessageRevision } from '../../requests';
import type { Chunk, HiddenReason, Message, NewMessage } from '../../../transcript/message';
import { chunkRow, foldChunks, keepsDelivered, readChunkRow, type StoredChunk } from './chunkFolding';
import { insertRow, readInteger, readPosition, readTime, textIn } from './columns';
import { messageColumns, messageValues, readMessageRow, searchableText, type StoredMessage } from './messageRow';
import { encodeParts } from './partsJson';
import { invalid } from './refusal';
import { segmentStart } from './sessionTable';
import { StorePart } from './storePart';

/** Distance between neighboring positions: leaves room to insert rows between two others later. */
export const positionGap = 1024;

/** Exceeds the number of messages in any session. */
const largestSession = 2 ** 40;

/** Parameters: `messageValues` and a position. */
const insertMessage = `INSERT INTO messages (${messageColumns.join(', ')}, position)
  VALUES (${messageColumns.map(() => '?').join(', ')}, ?)`;
const updateMessage = `UPDATE messages
  SET ${messageColumns.map((column) => `${column} = ?`).join(', ')}, api_content = iif(content = ?, api_content, NULL),
  hidden_with = iif(?, NULL, hidden_with)
  WHERE uid = ?`;

/** Rows of `messages` with their chunks and revisions. Every method runs inside its caller's transaction. */
export class MessageTable extends StorePart {
  /** The stored message with its unfolded chunks. */
  find(uid: string): StoredMessage | null {
    const row = this.database.get('SELECT * FROM messages WHERE uid = ?', [uid]);
    return row === undefined ? null : this.read(row);
  }

  read(row: SqlRow): StoredMessage {
    return readMessageRow(
      row,
      row['state'] === 'streaming' && typeof row['uid'] === 'string' ? this.chunksOf(row['uid']) : [],
    );
  }

  readAll(rows: Iterable<SqlRow>): Message[] {
    return Array.from(rows, (row) => this.read(row).message);
  }

  /** The rows of a turn in order, including hidden ones. A turn may span two segments: then rows carried from the
   *  earlier one are repeated in the later one. */
  ofTurn(turnUid: string): Message[] {
    return this.readAll(this.database.all('SELECT * FROM messages WHERE turn_uid = ? ORDER BY position', [turnUid]));
  }

  /** Uid of the row in this session that is the named one, or repeats it, also a hidden one; null when there is none.
   *  `CROSS JOIN` keeps SQLite from walking the session from its first row. */
  sameIn(sessionId: string, uid: string): string | null {
    return textIn(
      this.database,
      `WITH RECURSIVE same (uid) AS (SELECT ? UNION SELECT m.uid FROM same JOIN messages m ON m.carried_from = same.uid)
       SELECT m.uid FROM same CROSS JOIN messages m ON m.uid = same.uid WHERE m.session_id = ? LIMIT 1`,
      [uid, sessionId],
    );
  }

  /** Position after the session's last message. */
  endPosition(sessionId: string): number {
    const row = this.database.get('SELECT max(position) AS last FROM messages WHERE session_id = ?', [sessionId]) ?? {};
    if (isOdd(row, 'last')) {
      this.renumberAll(sessionId);
      return this.endPosition(sessionId);
    }
    return readPosition(row, 'last', segmentStart(this.database, sessionId)) + positionGap;
  }

  /** A free position directly after the row `uid`. Renumbers the session when there is no room. */
  positionAfter(sessionId: string, uid: string): number {
    // A damaged row without a readable uid.
    if (uid === '') return this.endPosition(sessionId);
    return this.gapAfter(sessionId, uid) ?? this.renumber(sessionId, uid);
  }

  /** Null when there is no room, or the position is invalid. */
  private gapAfter(sessionId: string, uid: string): number | null {
    const row = this.database.get(
      `SELECT position, (SELECT min(position) FROM messages n
       WHERE n.session_id = m.session_id AND n.position > m.position) AS next
       FROM messages m WHERE uid = ? AND session_id = ?`,
      [uid, sessionId],
    );
    if (row === undefined) throw invalid(`no message ${uid} in session ${sessionId} to put a row behind`);
    const position = readPosition(row, 'position', null);
    if (position === null || isOdd(row, 'next')) return null;
    const next = readPosition(row, 'next', null);
    if (next === null) return Math.floor(position) + positionGap;
    const between = Math.floor((position + next) / 2);
    return between > position ? between : null;
  }

  private renumber(sessionId: string, uid: string): number {
    this.renumberAll(sessionId);
    const free = this.gapAfter(sessionId, uid);
    if (free === null) throw invalid(`no room behind message ${uid}`);
    return free;
  }

  private renumberAll(sessionId: string): void {
    const numbered = `(SELECT id, row_number() OVER (ORDER BY position, id) AS place FROM messages
        WHERE session_id = ?2) AS numbered
      WHERE messages.id = numbered.id`;
    // Goes through numbers that no message has, so that no step of the update meets a position that is still taken.
    this.database.run(`UPDATE messages SET position = ?1 - numbered.place FROM ${numbered}`, [
      Number.MIN_SAFE_INTEGER + largestSession,
      sessionId,
    ]);
    this.database.run(
      `UPDATE messages SET position = ?1 + numbered.place * ${positionGap}
       FROM ${numbered.replace('ORDER BY position', 'ORDER BY position DESC')}`,
      [segmentStart(this.database, sessionId), sessionId],
    );
  }

  insert(message: NewMessage, position: number): void {
    this.database.run(insertMessage, [...messageValues(message), position]);
  }

  /** Stores a message under its uid, with its chunks folded. An existing row keeps its position; a final row that
   *  changes leaves its earlier content as a revision. Throws `invalid` when delivered text would be lost or the row
   *  would move. */
  upsert(message: NewMessage, placeNew: () => number): void {
    const stored = this.find(message.uid);
    if (stored === null) this.insert(message, placeNew());
    else this.rewrite(stored, message);
  }

  private rewrite(stored: StoredMessage, next: NewMessage): void {
    const before = stored.message;
    if (before.role !== next.role || before.sessionId !== next.sessionId || before.turnUid !== next.turnUid) {
      throw invalid(`message ${next.uid} may not change its role, session or turn`);
    }
    if (before.role === 'assistant' && next.role === 'assistant') {
      if (before.state === 'final' && next.state === 'streaming') throw invalid(`message ${next.uid} is final`);
      if (stored.readable && !keepsDelivered(before.parts, next.parts))
        throw invalid(`message ${next.uid} would lose delivered text`);
      this.write(stored, { ...next, lastSeq: Math.max(before.lastSeq, next.lastSeq) });
      this.database.run('DELETE FROM stream_chunks WHERE message_uid = ?', [next.uid]);
    } else {
      this.write(stored, next);
    }
  }

  /** Rewrites the row of `stored`; the caller has checked that no delivered text is lost. */
  write(stored: StoredMessage, next: NewMessage): void {
    const before = stored.message;
    const wasFinal = before.role !== 'assistant' || before.state === 'final';
    if (!stored.readable || (wasFinal && stored.rawParts !== encodeParts(next.parts))) {
      const { rawContent: content, rawParts: parts } = stored;
      insertRow(this.database, 'message_revisions', {
        message_uid: before.uid,
        revised_at: this.now(),
        content,
        parts,
      });
    }
    this.database.run(updateMessage, [
      ...messageValues(next),
      searchableText(next),
      next.visibility.kind === 'hidden' ? 0 : 1,
      next.uid,
    ]);
  }

  /** Folds the chunks of a message into its row and marks the row final. */
  finish(uid: string): void {
    const stored = this.find(uid);
    if (stored === null || stored.message.role !== 'assistant' || stored.message.state === 'final') return;
    this.write(stored, { ...stored.message, state: 'final' });
    this.database.run('DELETE FROM stream_chunks WHERE message_uid = ?', [uid]);
  }

  /** Removes a row from the active transcript. It stays stored, with the reason, the row that absorbed it, and the
   *  turn whose prompt version it belongs to. */
  hide(uid: string, reason: HiddenReason, absorbedInto: string | null, version: string | null = null): void {
    this.database.run(
      'UPDATE messages SET active = 0, hidden_reason = ?, absorbed_into = ?, hidden_with = ? WHERE uid = ?',
      [reason, absorbedInto, version, uid],
    );
  }

  /** Earlier contents of a row, one for each rewrite, oldest first. */
  revisionsOf(uid: string): readonly MessageRevision[] {
    return this.database
      .all(
        `SELECT m.*, r.parts, r.content, r.revised_at FROM message_revisions r JOIN messages m ON m.uid = r.message_uid
         WHERE r.message_uid = ? ORDER BY r.id`,
        [uid],
      )
      .map((row) => ({ revisedAt: readTime(row, 'revised_at', 0), parts: readMessageRow(row).message.parts }));
  }

  remove(uid: string): void {
    this.database.run('DELETE FROM messages WHERE uid = ?', [uid]);
  }

  /** Adds one chunk to a streaming message. Throws `invalid` on a gap, an overlap, another kind, or a final message. */
  append(row: SqlRow, chunk: Chunk): void {
    const last = this.lastChunk('message_uid = ?', [chunk.messageUid]);
    const storedSeq = readInteger(row, 'last_seq', 0);
    const lastSeq = last?.seq ?? storedSeq;
    if (chunk.seq <= lastSeq) {
      this.requireRepetition(row, chunk);
      return;
    }
    if (row['state'] !== 'streaming')
      throw invalid(`message ${chunk.messageUid} is final and takes no chunk ${chunk.seq}`);
    if (chunk.seq !== lastSeq + 1)
      throw invalid(`chunk ${chunk.seq} of message ${chunk.messageUid} follows ${lastSeq}`);
    this.requirePlace(row, chunk, last);
    insertRow(this.database, 'stream_chunks', chunkRow(chunk));
  }

  private requirePlace(row: SqlRow, chunk: Chunk, last: StoredChunk | null): void {
    const before =
      last?.part === chunk.part ? last : this.lastChunk('message_uid = ? AND part = ?', [chunk.messageUid, chunk.part]);
    if (before !== null) {
      if (before.kind !== chunk.kind)
        throw invalid(`part ${chunk.part} of message ${chunk.messageUid} is ${before.kind}`);
      requireStart(chunk, before.start + before.text.length);
      return;
    }
    const { message } = this.read(row);
    const part = message.parts[chunk.part];
    if (part === undefined) {
      if (chunk.part !== message.parts.length)
        throw invalid(`part ${chunk.part} of message ${chunk.messageUid}, which has ${message.parts.length}`);
      requireStart(chunk, 0);
    } else if (part.kind === chunk.kind) {
      requireStart(chunk, part.text.length);
    } else {
      throw invalid(`part ${chunk.part} of message ${chunk.messageUid} is ${part.kind}`);
    }
  }

  private requireRepetition(row: SqlRow, chunk: Chunk): void {
    const same = this.lastChunk('message_uid = ? AND seq = ?', [chunk.messageUid, chunk.seq]);
    if (same !== null) {
      if (
        same.part === chunk.part &&
        same.kind === chunk.kind &&
        same.start === chunk.start &&
        same.text === chunk.text
      )
        return;
      throw invalid(`chunk ${chunk.seq} of message ${chunk.messageUid} was stored with another text`);
    }
    const folded = deliveredPart(this.read(row).message, chunk.part);
    if (folded?.kind === chunk.kind && folded.text.startsWith(chunk.text, chunk.start)) return;
    throw invalid(`chunk ${chunk.seq} of message ${chunk.messageUid} is not what the message holds`);
  }

  /** Rows of a message are in the order of their numbers, and the newest is near the end of the table. */
  private lastChunk(where: string, params: readonly (string | number)[]): StoredChunk | null {
    const row = this.database.get(`SELECT * FROM stream_chunks WHERE ${where} ORDER BY rowid DESC LIMIT 1`, params);
    return row === undefined ? null : readChunkRow(row);
  }

  private chunksOf(uid: string): readonly StoredChunk[] {
    return this.database.all('SELECT * FROM stream_chunks WHERE message_uid = ? ORDER BY seq', [uid]).map(readChunkRow);
  }
}

/** Returns a message with `chunks` added to its parts, for an import to compare. */
export function withChunks(message: Message, chunks: readonly StoredChunk[]): Message {
  if (message.role !== 'assistant') return message;
  return {
    ...message,
    parts: foldChunks(message.parts, chunks),
    lastSeq: chunks.reduce((last, { seq }) => Math.max(last, seq), message.lastSeq),
  };
}

/** True when a position is present but invalid: damage. */
function isOdd(row: SqlRow, column: string): boolean {
  return (row[column] ?? null) !== null && readPosition(row, column, null) === null;
}

function requireStart(chunk: Chunk, length: number): void {
  if (chunk.start !== length)
    throw invalid(
      `chunk ${chunk.seq} of message ${chunk.messageUid} starts at ${chunk.start}, the part ends at ${length}`,
    );
}

function deliveredPart(message: Message, index: number): { readonly kind: string; readonly text: string } | null {
  const part = message.parts[index];
  return part !== undefined && (part.kind === 'text' || part.kind === 'thinking') ? part : null;
}
