import { createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { ContentHash, FileChange, FileContent } from '../../fileChanges';
import { insertRow, readBoolean, oneOf, readText, readTime, texts, hasRow } from './columns';
import { StorePart } from './storePart';

/** The tables `file_changes` and `file_contents`. A content exists as long as a change names it; a change may name a
 *  content that was never stored (too large). Every method runs inside its caller's transaction. */
export class FileChangeTable extends StorePart {
  record(changes: readonly FileChange[], contents: readonly FileContent[]): void {
    this.keep(contents);
    for (const change of changes) {
      const row = {
        uid: change.uid,
        session_id: change.sessionId,
        turn_uid: change.turnUid,
        call_id: change.callId,
        path: change.path,
        before_hash: change.before,
        after_known: change.after === undefined ? 0 : 1,
        after_hash: change.after ?? null,
        changed_at: change.changedAt,
        reviewed: change.reviewed?.kind ?? null,
        reviewed_at: change.reviewed?.at ?? null,
      };
      insertRow(this.database, 'file_changes', row, 'ON CONFLICT (uid) DO NOTHING');
    }
    this.dropUnnamed(contents.map(({ hash }) => hash));
  }

  /** Deletes a change that left the file as it was. */
  complete(
    results: readonly { readonly uid: string; readonly after: ContentHash }[],
    contents: readonly FileContent[],
  ): void {
    this.keep(contents);
    const loose = contents.map(({ hash }) => hash);
    for (const { uid, after } of results) {
      const expected = this.database.get('SELECT after_hash FROM file_changes WHERE uid = ?', [uid])?.['after_hash'];
      if (typeof expected === 'string') loose.push(expected);
      this.database.run('UPDATE file_changes SET after_known = 1, after_hash = ? WHERE uid = ?', [after, uid]);
      if (after !== null) loose.push(after);
      this.database.run('DELETE FROM file_changes WHERE uid = ? AND after_known = 1 AND before_hash IS after_hash', [
        uid,
      ]);
    }
    this.dropUnnamed(loose);
  }

  of(turnUids: readonly string[]): readonly FileChange[] {
    return this.database
      .all('SELECT * FROM file_changes WHERE turn_uid IN (SELECT value FROM json_each(?)) ORDER BY id', [
        JSON.stringify(turnUids),
      ])
      .map(readFileChange);
  }

  at(paths: readonly string[], since: number): readonly FileChange[] {
    return this.database
      .all(
        `SELECT * FROM file_changes WHERE path IN (SELECT value FROM json_each(?)) AND changed_at >= ?
         ORDER BY changed_at, id`,
        [JSON.stringify(paths), since],
      )
      .map(readFileChange);
  }

  pathsSince(since: number): readonly string[] {
    return texts(this.database, 'SELECT path FROM file_changes GROUP BY path HAVING max(changed_at) >= ?', [since]);
  }

  /** Ordered by the start of turns and sessions, never by time. */
  from(turnUid: string): readonly FileChange[] {
    return this.database
      .all(
        `WITH RECURSIVE taken (uid, session_id) AS (
           SELECT t.uid, t.session_id FROM turns named
           JOIN turns t ON t.conversation_id = named.conversation_id AND t.id >= named.id WHERE named.uid = ?1
         ), begun (conversation_id, id) AS (
           SELECT conversation_id, id FROM turns WHERE uid = ?1
         ), delegates (id) AS (
           SELECT s.id FROM begun JOIN sessions p ON p.conversation_id = begun.conversation_id
           JOIN sessions s ON s.parent_session_id = p.id AND s.parent_kind = 'delegate'
           UNION SELECT s.id FROM delegates
           JOIN sessions s ON s.parent_session_id = delegates.id AND s.parent_kind IN ('delegate', 'compression')
         )
         SELECT * FROM file_changes WHERE turn_uid IN (SELECT uid FROM taken)
           OR turn_uid IN (SELECT t.uid FROM delegates JOIN turns t ON t.session_id = delegates.id
             JOIN begun ON t.id > begun.id)
         ORDER BY id`,
        [turnUid],
      )
      .map(readFileChange);
  }

  /** Null for a content that was never stored, and for bytes that no longer match the hash: they must not be written
   *  to the user's file. */
  content(hash: string): Uint8Array | null {
    const row = this.database.get('SELECT encoding, bytes FROM file_contents WHERE hash = ?', [hash]);
    const bytes = row === undefined ? null : unpacked(row);
    return bytes !== null && hashOf(bytes) === hash ? bytes : null;
  }

  review(uids: readonly string[], kind: 'reverted' | 'kept' | null, at: number): void {
    this.database.run(
      'UPDATE file_changes SET reviewed = ?, reviewed_at = ? WHERE uid IN (SELECT value FROM json_each(?))',
      [kind, kind === null ? null : at, JSON.stringify(uids)],
    );
  }

  /** Deletes contents that no change names: among these hashes, or all. */
  dropUnnamed(hashes: readonly string[] | 'all'): void {
    const unnamed = `NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.before_hash = file_contents.hash)
      AND NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.after_hash = file_contents.hash)`;
    if (hashes === 'all') this.database.run(`DELETE FROM file_contents WHERE ${unnamed}`);
    else if (hashes.length > 0)
      this.database.run(`DELETE FROM file_contents WHERE hash IN (SELECT value FROM json_each(?)) AND ${unnamed}`, [
        JSON.stringify(hashes),
      ]);
  }

  private keep(contents: readonly FileContent[]): void {
    for (const { hash, bytes } of contents) {
      if (hasRow(this.database, 'SELECT 1 AS n FROM file_contents WHERE hash = ?', [hash])) continue;
      const deflated = deflateSync(bytes);
      const [encoding, packed] =
        deflated.length < bytes.length ? (['deflate', deflated] as const) : (['raw', bytes] as const);
      this.database.run('INSERT INTO file_contents (hash, encoding, bytes, size) VALUES (?, ?, ?, ?)', [
        hash,
        encoding,
        packed,
        bytes.length,
      ]);
    }
  }
}

/** Bytes of the largest content that is inflated. Contents of more than 10 MiB are not stored. */
const largestInflated = 2 ** 24;

/** The original bytes of a content; null when the row cannot be read, or would take more memory than any content. */
export function unpacked(row: SqlRow): Uint8Array | null {
  const bytes = row['bytes'];
  if (!(bytes instanceof Uint8Array)) return null;
  if (row['encoding'] !== 'deflate') return bytes;
  try {
    return inflateSync(bytes, { maxOutputLength: largestInflated });
  } catch {
    return null;
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function readFileChange(row: SqlRow): FileChange {
  const reviewed = oneOf(row, 'reviewed', ['reverted', 'kept'], null);
  return {
    uid: readText(row, 'uid', ''),
    sessionId: readText(row, 'session_id', ''),
    turnUid: readText(row, 'turn_uid', ''),
    callId: readText(row, 'call_id', ''),
    path: readText(row, 'path', ''),
    before: readText(row, 'before_hash', null),
    after: readBoolean(row, 'after_known') ? readText(row, 'after_hash', null) : undefined,
    changedAt: readTime(row, 'changed_at', 0),
    reviewed: reviewed === null ? null : { kind: reviewed, at: readTime(row, 'reviewed_at', 0) },
  };
}
