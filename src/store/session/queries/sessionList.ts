import { t } from '../../../base/translate';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { SessionQuery } from '../../requests';
import type { BranchReference, SessionSummary } from '../../../transcript/session';
import { readInteger, oneOf, readText, readTime } from '../tables/columns';
import { lastSettled } from '../tables/turnTable';
import { invalid } from '../tables/refusal';
import { readSession } from '../tables/sessionTable';
import { isSynced } from '../tables/keptElsewhere';

const unreadableSession = (): string => t('This session couldn’t be fully read from the file. Its messages are kept.');

/** Columns of a session and of its conversation. A running conversation counts as waiting while one of its
 *  sub-agents awaits approval. A conversation of one segment, the most frequent case, is read from its own row.
 *  `total` takes any number that a damaged row may have, where `sum` fails. */
const summaryColumns = `s.id, s.parent_session_id, s.parent_kind, s.conversation_id, s.model, s.cwd, s.started_at,
  s.last_activity_at, s.ended_at,
  s.end_reason, s.pinned, s.archived, s.trashed_at, s.private, s.seen_at,
  iif(s.origin IS NULL, root.origin, s.origin) AS origin,
  coalesce(s.title, root.title) AS title, iif(s.title IS NULL, root.title_source, s.title_source) AS title_source,
  coalesce(root.preview, s.preview) AS preview,
  iif(root.id IS NULL, s.parent_kind, root.parent_kind) AS root_kind,
  iif(root.id IS NULL, s.parent_session_id, root.parent_session_id) AS root_parent,
  iif(root.id IS NULL, s.turn_count, (SELECT CAST(total(turn_count) AS INTEGER) FROM sessions c
    WHERE c.conversation_id = s.conversation_id)) AS turns,
  iif(root.id IS NULL, s.message_count, (SELECT CAST(total(message_count) AS INTEGER) FROM sessions c
    WHERE c.conversation_id = s.conversation_id)) AS messages,
  CASE WHEN last.state = 'running' AND EXISTS (
    SELECT 1 FROM sessions c JOIN sessions d ON d.parent_session_id = c.id AND d.parent_kind = 'delegate'
    JOIN turns w ON w.conversation_id = d.id AND w.state = 'waiting'
    WHERE c.conversation_id = s.conversation_id) THEN 'waiting'
    ELSE coalesce(last.outcome, last.state) END AS last_turn,
  iif(last.state = 'settled', last.settled_at, ${lastSettled('s.conversation_id')}) AS last_settled,
  (SELECT count(*) FROM queue q WHERE q.conversation_id = s.conversation_id) AS queued`;
/** Newest segments, without sub-agents' sessions. */
const newestSegments = `sessions s LEFT JOIN sessions root ON s.conversation_id <> s.id AND root.id = s.conversation_id
  LEFT JOIN turns last ON last.id = (SELECT max(id) FROM turns t WHERE t.conversation_id = s.conversation_id)
  WHERE NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id AND c.parent_kind = 'compression')
    AND s.parent_kind IS NOT 'delegate' AND root.parent_kind IS NOT 'delegate' AND s.pending IS NULL`;
/** Condition for the entries after a session in the list; its parameters are that session's time twice, and its id.
 *  Of equal times the row stored first comes first, as in the activity index. */
const afterSession = `s.last_activity_at <= ? AND (s.last_activity_at < ?
   OR s.rowid > coalesce((SELECT rowid FROM sessions WHERE id = ?), 0))`;
/** The parameter is a JSON list of session ids. */
const ofSessions =
  's.conversation_id IN (SELECT conversation_id FROM sessions WHERE id IN (SELECT value FROM json_each(?)))';

const states: {
  readonly [S in NonNullable<SessionQuery['state']>]: { readonly filter: string; readonly order: string };
} = {
  active: { filter: 's.trashed_at IS NULL AND s.archived = 0', order: 's.last_activity_at DESC, s.rowid' },
  archived: { filter: 's.trashed_at IS NULL AND s.archived <> 0', order: 's.last_activity_at DESC, s.rowid' },
  trash: { filter: 's.trashed_at IS NOT NULL', order: 's.trashed_at DESC, s.last_activity_at DESC' },
};

/** Conversations for lists. Every method runs inside its caller's transaction. */
export class SessionList {
  constructor(private readonly database: SqlDatabase) {}

  /** One query for any number of sessions: it walks the activity index and stops at the limit. */
  list(query: SessionQuery): readonly SessionSummary[] {
    if (!Number.isInteger(query.limit) || query.limit < 0 || !Number.isInteger(query.offset ?? 0))
      throw invalid('a limit that is no count');
    const { filter, order } = states[query.state ?? 'active'];
    const words = (query.text ?? '').split(/\s+/).filter((word) => word !== '');
    const wordFilter = words
      .map(
        () => `AND (coalesce(s.title, '') LIKE ? ESCAPE '\\' OR coalesce(root.title, '') LIKE ? ESCAPE '\\'
      OR coalesce(root.preview, s.preview, '') LIKE ? ESCAPE '\\'
      OR coalesce(${this.machineColumn()}, '') LIKE ? ESCAPE '\\')`,
      )
      .join(' ');
    const wordValues = words.flatMap((word) => Array<string>(4).fill(`%${escapeLike(word)}%`));
    const pinned = query.pinned === undefined ? '' : `AND s.pinned ${query.pinned ? '<>' : '='} 0`;
    const isPublic = query.withoutPrivate === true ? 'AND s.private = 0' : '';
    const { after, sessionIds, folder } = query;
    const inFolder = folder === undefined ? '' : folder === '' ? 'AND s.cwd IS NOT NULL' : 'AND s.cwd = ?';
    const folderValues = folder === undefined || folder === '' ? [] : [folder];
    const [place, placeValues] =
      after === undefined ? ['', []] : [`AND ${afterSession}`, [after.lastActiveAt, after.lastActiveAt, after.id]];
    const [among, amongValues] =
      sessionIds === undefined ? ['', []] : [`AND ${ofSessions}`, [JSON.stringify(sessionIds)]];
    const filled =
      query.includeEmpty === true
        ? ''
        : 'AND (s.message_count > 0 OR EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id))';
    return this.read(
      `AND ${filter} ${pinned} ${isPublic} ${inFolder} ${place} ${among}
       ${filled} ${wordFilter}
       ORDER BY ${order} LIMIT ? OFFSET ?`,
      [...folderValues, ...placeValues, ...amongValues, ...wordValues, query.limit, query.offset ?? 0],
    );
  }

  /** The conversations of these sessions that are not in the trash, newest activity first. */
  of(sessionIds: readonly string[]): readonly SessionSummary[] {
    return this.read(
      `AND s.trashed_at IS NULL AND ${ofSessions}
       ORDER BY s.last_activity_at DESC`,
      [JSON.stringify(sessionIds)],
    );
  }

  private read(where: string, values: readonly SqlValue[]): readonly SessionSummary[] {
    return this.database
      .all(`SELECT ${summaryColumns}, ${this.machineColumn()} AS machine FROM ${newestSegments} ${where}`, values)
      .map((row) => this.summary(row));
  }

  /** The machine that continued a conversation last, in a store that is synchronized. */
  private machineColumn(): string {
    return isSynced(this.database)
      ? '(SELECT y.machine FROM sync_heads y WHERE y.conversation_id = s.conversation_id)'
      : 'NULL';
  }

  private summary(row: SqlRow): SessionSummary {
    const session = readSession(row);
    const state = oneOf(row, 'last_turn', ['running', 'waiting', 'complete', 'interrupted', 'failed'], null);
    const seenAt = readTime(row, 'seen_at', null);
    const machine = readText(row, 'machine', null);
    // Listed field by field: spreading the session costs a list of thousands as much as reading it.
    return {
      id: session.id,
      title: session.title,
      titleSource: session.titleSource,
      parentSessionId: session.parentSessionId,
      parentKind: session.parentKind,
      conversationId: session.conversationId,
      model: session.model,
      folder: session.folder,
      startedAt: session.startedAt,
      lastActiveAt: session.lastActiveAt,
      endedAt: session.endedAt,
      endReason: session.endReason,
      pinned: session.pinned,
      archived: session.archived,
      trashedAt: session.trashedAt,
      private: session.private,
      ...(session.origin === undefined ? {} : { origin: session.origin }),
      ...(machine === null ? {} : { machine }),
      preview: readText(row, 'preview', null),
      turnCount: readInteger(row, 'turns', 0),
      messageCount: readInteger(row, 'messages', 0),
      lastTurn: state === null ? null : { state },
      queuedCount: readInteger(row, 'queued', 0),
      branchOf: row['root_kind'] === 'branch' ? this.reference(readText(row, 'root_parent', '')) : null,
      unread: seenAt !== null && readTime(row, 'last_settled', 0) > seenAt,
      problem: isSound(row) ? null : unreadableSession(),
    };
  }

  /** Finds a conversation by any of its segments; null when it is gone. */
  reference(sessionId: string): BranchReference | null {
    const row = this.database.get(
      `SELECT s.conversation_id, s.id, coalesce(s.title, root.title) AS title FROM ${newestSegments}
         AND s.conversation_id = (SELECT conversation_id FROM sessions WHERE id = ?)`,
      [sessionId],
    );
    return row === undefined
      ? null
      : {
          conversationId: readText(row, 'conversation_id', sessionId),
          sessionId: readText(row, 'id', sessionId),
          title: readText(row, 'title', null),
        };
  }
}

function isSound(row: SqlRow): boolean {
  const texts = [row['title'], row['preview'], row['parent_session_id']];
  return (
    typeof row['id'] === 'string' &&
    typeof row['conversation_id'] === 'string' &&
    typeof row['started_at'] === 'number' &&
    typeof row['last_activity_at'] === 'number' &&
    texts.every((value) => value === null || typeof value === 'string')
  );
}

/** Escapes a text so that a LIKE pattern matches it literally, with `ESCAPE '\'`. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, (character) => `\\${character}`);
}
