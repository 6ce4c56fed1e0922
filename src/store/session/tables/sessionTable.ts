import { parsedAs } from '../../../transcript/json';
import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import type { NewSession } from '../../requests';
import { reasoningEfforts, type ReasoningEffort, type Session, type SessionOrigin } from '../../../transcript/session';
import type { Usage } from '../../../transcript/usage';
import { insertRow, readBoolean, oneOf, readText, readTime, countOf, latestTime, hasRow, textIn } from './columns';
import { invalid, notFound } from './refusal';
import { cleanTitle, derivedTitle, previewOf } from './title';
import * as v from 'valibot';
import { StorePart } from './storePart';

/** Seconds by which a clock may differ before it counts as wrong. */
const tolerance = 60;
/** Seconds; separates two times that would otherwise be equal. */
const instant = 0.001;

/** Returns the time that puts an event at `at` at the top of the list. Session times in the future come from a clock
 *  that was ahead: they become times just before `at`, in the same order. But if most sessions also started in the
 *  future, this clock is behind: then their times stay, and the top is above them. Runs inside its caller's
 *  transaction. */
function topTime(database: SqlDatabase, at: number, now: number): number {
  const future = now + tolerance;
  const moment = Math.min(at, future);
  if (!hasRow(database, 'SELECT 1 AS n FROM sessions WHERE last_activity_at > ? LIMIT 1', [future])) return moment;
  const begunLater = countOf(database, 'SELECT count(*) AS n FROM sessions WHERE started_at > ? AND started_at <= ?', [
    future,
    latestTime,
  ]);
  if (begunLater * 2 > countOf(database, 'SELECT count(*) AS n FROM sessions')) {
    const latest =
      database.get('SELECT max(last_activity_at) AS latest FROM sessions WHERE last_activity_at <= ?', [latestTime]) ??
      {};
    return readTime(latest, 'latest', moment) + instant;
  }
  database.run(
    `UPDATE sessions SET last_activity_at = ?1 - later.place * ?2
     FROM (SELECT id, row_number() OVER (ORDER BY last_activity_at DESC, rowid) AS place FROM sessions
       WHERE last_activity_at > ?3) AS later
     WHERE sessions.id = later.id`,
    [moment, instant, future],
  );
  return moment;
}

const origin = v.object({
  source: v.string(),
  id: v.string(),
  place: v.string(),
  writtenBy: v.nullable(v.string()),
  model: v.nullable(v.string()),
  importedAt: v.number(),
});

/** The `origin` column; nothing for a session that was written here, or when it cannot be read. */
function originOf(row: SqlRow): { readonly origin?: SessionOrigin } {
  const found = parsedAs(origin, readText(row, 'origin', null));
  return found === null ? {} : { origin: found };
}

const parentKinds = ['compression', 'branch', 'delegate'] as const;
const titleSources = ['derived', 'model', 'person'] as const;

/** Rows of `sessions` and the lineage between them. Excludes a session that is being created or erased (`pending`).
 *  Every method runs inside its caller's transaction. */
export class SessionTable extends StorePart {
  find(id: string): Session | null {
    const row = this.database.get('SELECT * FROM sessions WHERE id = ? AND pending IS NULL', [id]);
    return row === undefined ? null : readSession(row);
  }

  require(id: string): Session {
    const session = this.find(id);
    if (session === null) throw notFound('session', id);
    return session;
  }

  create(input: NewSession): Session {
    const existing = this.find(input.id);
    if (existing !== null) return requireSame(existing, input);
    const parentId = input.parentSessionId ?? null;
    const kind = input.parentKind ?? null;
    if ((parentId === null) !== (kind === null))
      throw invalid(`session ${input.id} names a parent without its kind, or a kind without a parent`);
    const parent = parentId === null ? null : this.require(parentId);
    if (parent !== null && kind === 'compression' && this.continuation(parent.id) !== null) {
      throw invalid(`session ${parent.id} is already continued by another segment`);
    }
    const title = typeof input.title === 'string' ? cleanTitle(input.title) : null;
    insertRow(this.database, 'sessions', {
      id: input.id,
      model: input.model ?? null,
      parent_session_id: parentId,
      parent_kind: kind,
      conversation_id: parent !== null && kind === 'compression' ? parent.conversationId : input.id,
      started_at: input.startedAt,
      last_activity_at: input.startedAt,
      title,
      title_source: title === null ? null : (input.titleSource ?? 'derived'),
      cwd: input.folder ?? null,
      private: input.private === true || parent?.private === true ? 1 : 0,
      seen_at: input.startedAt,
      delegated_by: kind === 'delegate' ? (input.delegatedBy ?? null) : null,
    });
    return this.require(input.id);
  }

  /** Reasoning effort for the model of the session's conversation. */
  effort(id: string): ReasoningEffort | null {
    const row = this.database.get('SELECT effort FROM sessions WHERE id = ?', [id]);
    return row === undefined ? null : oneOf(row, 'effort', reasoningEfforts, null);
  }

  /** Sets it on every segment, because it applies to the conversation. */
  setEffort(id: string, effort: ReasoningEffort | null): void {
    const { conversationId } = this.require(id);
    this.database.run('UPDATE sessions SET effort = ? WHERE conversation_id = ?', [effort, conversationId]);
  }

  /** Sets it on every segment, because it applies to the conversation. */
  setAgent(id: string, agent: string | null): void {
    const { conversationId } = this.require(id);
    this.database.run('UPDATE sessions SET agent = ? WHERE conversation_id = ?', [agent, conversationId]);
  }

  setModel(sessionId: string, model: string | null): void {
    this.require(sessionId);
    this.database.run('UPDATE sessions SET model = ? WHERE id = ?', [model, sessionId]);
  }

  end(sessionId: string, reason: string, at: number): void {
    this.require(sessionId);
    this.database.run('UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND end_reason IS NULL', [
      at,
      reason,
      sessionId,
    ]);
  }

  /** Sets preview and derived title from a prompt, each only if the session has none. */
  describe(session: Session, prompt: string): void {
    this.database.run('UPDATE sessions SET preview = coalesce(preview, ?) WHERE id = ?', [
      previewOf(prompt),
      session.id,
    ]);
    const title = session.title === null ? derivedTitle(prompt) : null;
    if (title !== null)
      this.database.run("UPDATE sessions SET title = ?, title_source = 'derived' WHERE id = ?", [title, session.id]);
  }

  /** Restores times and counts that damage left null. Otherwise every later message would be refused, because the
   *  triggers cannot increment null. SQLite assumes that a NOT NULL column holds a value, hence `typeof`. */
  restoreCounts(sessionId: string): void {
    const counted =
      'FROM messages WHERE session_id = sessions.id AND active = 1 AND display_kind IS NULL AND carried_from IS NULL';
    this.database.run(
      `UPDATE sessions SET last_activity_at = coalesce(last_activity_at, started_at, 0),
       message_count = (SELECT count(*) ${counted}),
         tool_call_count = (SELECT count(*) ${counted} AND tool_call_id IS NOT NULL),
         turn_count = (SELECT count(*) FROM turns WHERE session_id = sessions.id AND supersedes IS NULL)
       WHERE id = ? AND 'null' IN (typeof(last_activity_at), typeof(message_count), typeof(tool_call_count),
         typeof(turn_count))`,
      [sessionId],
    );
  }

  /** Moves a session to the top of the list after activity at this time. */
  touch(sessionId: string, at: number): void {
    const top = topTime(this.database, at, this.now());
    this.database.run('UPDATE sessions SET last_activity_at = max(last_activity_at, ?) WHERE id = ?', [top, sessionId]);
  }

  /** Records an answer at this time. It cannot have been seen before, so a later `seen_at` comes from a clock that
   *  was ahead. */
  answered(sessionId: string, at: number): void {
    this.touch(sessionId, at);
    this.database.run(
      `UPDATE sessions SET seen_at = ?1 - ?2
       WHERE conversation_id = (SELECT conversation_id FROM sessions WHERE id = ?3) AND seen_at > ?1`,
      [at, instant, sessionId],
    );
  }

  addUsage(sessionId: string, usage: Usage): void {
    this.database.run(
      `UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cache_read_tokens = cache_read_tokens + ?,
       cache_write_tokens = cache_write_tokens + ?, reasoning_tokens = reasoning_tokens + ? WHERE id = ?`,
      [
        usage.inputTokens ?? 0,
        usage.outputTokens ?? 0,
        usage.cachedInputTokens ?? 0,
        usage.cacheWriteTokens ?? 0,
        usage.reasoningTokens ?? 0,
        sessionId,
      ],
    );
  }

  /** The newest segment that continues this one. UNION, not UNION ALL: a cyclic (damaged) lineage still ends. */
  tip(sessionId: string): string {
    this.require(sessionId);
    return (
      textIn(
        this.database,
        `WITH RECURSIVE chain (id) AS (
         SELECT ?
         UNION
         SELECT child.id FROM chain
         JOIN sessions child ON child.parent_session_id = chain.id AND child.parent_kind = 'compression'
       )
       SELECT id FROM chain WHERE NOT EXISTS
         (SELECT 1 FROM sessions next
           WHERE next.parent_session_id = chain.id AND next.parent_kind = 'compression') LIMIT 1`,
        [sessionId],
      ) ?? sessionId
    );
  }

  continuation(sessionId: string): string | null {
    return textIn(
      this.database,
      "SELECT id FROM sessions WHERE parent_session_id = ? AND parent_kind = 'compression'",
      [sessionId],
    );
  }
}

export function readSession(row: SqlRow): Session {
  const id = readText(row, 'id', '');
  const startedAt = readTime(row, 'started_at', 0);
  const agent = readText(row, 'agent', null);
  return {
    id,
    title: readText(row, 'title', null),
    titleSource: oneOf(row, 'title_source', titleSources, null),
    parentSessionId: readText(row, 'parent_session_id', null),
    parentKind: oneOf(row, 'parent_kind', parentKinds, null),
    conversationId: readText(row, 'conversation_id', id),
    model: readText(row, 'model', null),
    folder: readText(row, 'cwd', null),
    startedAt,
    lastActiveAt: readTime(row, 'last_activity_at', startedAt),
    endedAt: readTime(row, 'ended_at', null),
    endReason: readText(row, 'end_reason', null),
    pinned: readBoolean(row, 'pinned'),
    archived: readBoolean(row, 'archived'),
    trashedAt: readTime(row, 'trashed_at', null),
    private: readBoolean(row, 'private'),
    ...(agent === null ? {} : { agent }),
    ...originOf(row),
  };
}

function requireSame(existing: Session, input: NewSession): Session {
  if (existing.startedAt !== input.startedAt || existing.parentSessionId !== (input.parentSessionId ?? null)) {
    throw invalid(`session ${input.id} exists and is another one`);
  }
  return existing;
}

/** Size of the position range of one segment. Segments of a conversation use consecutive ranges, so that a position
 *  orders the messages of the whole conversation. 2^21 segments fit below the largest exact integer. */
export const segmentRoom = 2 ** 32;

/** The number before the first position of a session, derived from its place in the chain of compressions. */
export function segmentStart(database: SqlDatabase, sessionId: string): number {
  // UNION, not UNION ALL: a cyclic (damaged) lineage still ends.
  const row = database.get(
    `WITH RECURSIVE chain (id) AS (
       SELECT ?
       UNION
       SELECT s.parent_session_id FROM chain JOIN sessions s ON s.id = chain.id AND s.parent_kind = 'compression'
     )
     SELECT count(*) - 1 AS earlier FROM chain`,
    [sessionId],
  );
  const earlier = row?.['earlier'];
  return typeof earlier === 'number' ? earlier * segmentRoom : 0;
}
