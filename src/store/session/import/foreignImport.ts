import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type {
  BeginImport,
  BegunImport,
  ExtendImport,
  FinishImport,
  ImportBatch,
  ImportedFacts,
  ImportLineage,
  StoredImport,
} from '../../importing';
import type { Session } from '../../../transcript/session';
import { noteBroughtBack } from './broughtBack';
import { insertRow, readText, hasRow } from '../tables/columns';
import { invalid } from '../tables/refusal';
import { segmentRoom, segmentStart } from '../tables/sessionTable';
import { derivedTitle, previewOf, titleLimit } from '../tables/title';
import { importMarkKey, erasedImportKey } from '../tables/storeUid';
import { insertImported } from '../tables/messageRow';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from '../operations/storeOperations';

interface Parent {
  readonly session: Session;
  readonly kind: ImportLineage['kind'];
}

const mark = v.object({
  stamp: v.string(),
  messages: v.number(),
  digest: v.string(),
  total: v.number(),
  whole: v.string(),
  begun: v.object({ isContinuation: v.boolean(), start: v.number() }),
});

/** Sessions of other programs, as rows that a caller made of them. Every method runs inside its caller's
 *  transaction. */
export class ForeignImport extends StorePart<StoreOperations> {
  states(sessionIds: readonly string[]): readonly StoredImport[] {
    return sessionIds.map((id) => this.state(id));
  }

  /** True when an earlier attempt left rows of this session. */
  isLeft(sessionId: string): boolean {
    return hasRow(this.database, 'SELECT 1 AS n FROM sessions WHERE id = ? AND pending IS NOT NULL', [sessionId]);
  }

  begin({ sessionId, lineage, startedAt }: BeginImport): BegunImport {
    const row = this.database.get('SELECT 1 AS n FROM sessions WHERE id = ?', [sessionId]);
    if (row !== undefined) throw invalid(`session ${sessionId} is stored already`);
    // Without its parent until it is whole: a segment with a hidden continuation could not be opened.
    this.insertSession(sessionId, startedAt, null);
    const parent = this.parentOf(lineage);
    return parent?.kind === 'compression'
      ? { isContinuation: true, start: segmentStart(this.database, parent.session.id) + segmentRoom }
      : { isContinuation: false, start: 0 };
  }

  add(batch: ImportBatch): void {
    const pending = this.database.get("SELECT conversation_id FROM sessions WHERE id = ? AND pending = 'made'", [
      batch.sessionId,
    ]);
    if (pending === undefined) throw invalid(`session ${batch.sessionId} is not being imported`);
    this.write(batch, readText(pending, 'conversation_id', batch.sessionId));
  }

  finish({ sessionId, lineage, startedAt, folder, origin, ...facts }: FinishImport): void {
    const pending = this.database.get("SELECT 1 AS n FROM sessions WHERE id = ? AND pending = 'made'", [sessionId]);
    if (pending === undefined) throw invalid(`session ${sessionId} is not being imported`);
    const own = this.segmentsOf(sessionId);
    this.database.run(
      `UPDATE sessions SET pending = NULL, cwd = ?, source = ?, origin = ?
       WHERE id IN (SELECT value FROM json_each(?))`,
      [folder, origin.source, JSON.stringify(origin), own],
    );
    this.database.run('UPDATE sessions SET started_at = ? WHERE id = ?', [startedAt, sessionId]);
    const parent = this.parentOf(lineage);
    if (parent !== null) this.adopt(sessionId, own, parent, facts.lastActiveAt);
    this.describe(sessionId, own, facts);
    // A session that the user chose by hand is no longer one that was erased.
    this.store.meta.delete(erasedImportKey(sessionId));
    noteBroughtBack(this.database, [sessionId]);
  }

  /** Returns false when the session is not in the state that the caller compared with. */
  extend({ sessionId, since, from, ...batch }: ExtendImport): boolean {
    const state = this.state(sessionId);
    const session = this.sessions.find(sessionId);
    if (session === null || state.state !== 'stored' || state.isChanged || state.mark?.digest !== since) return false;
    this.cutFrom(this.segmentsOf(sessionId), sessionId, from);
    this.write({ sessionId, ...batch }, session.conversationId);
    const segments = this.segmentsOf(sessionId);
    this.database.run(
      `UPDATE sessions SET pending = NULL, turn_count = (SELECT count(*) FROM turns t
       WHERE t.session_id = sessions.id AND t.supersedes IS NULL)
       WHERE id IN (SELECT value FROM json_each(?))`,
      [segments],
    );
    this.describe(sessionId, segments, batch);
    return true;
  }

  /** Removes rows from a position on, and the turns and segments that have no other rows. */
  private cutFrom(own: string, sessionId: string, from: number): void {
    const among = 'IN (SELECT value FROM json_each(?1))';
    this.database.run(`DELETE FROM messages WHERE session_id ${among} AND position >= ?2`, [own, from]);
    this.database.run(
      `DELETE FROM turns WHERE session_id ${among}
       AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.turn_uid = turns.uid)`,
      [own],
    );
    this.database.run(
      `DELETE FROM sessions WHERE id ${among} AND id <> ?2
       AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)`,
      [own, sessionId],
    );
    this.database.run(
      `UPDATE sessions SET end_reason = NULL, ended_at = NULL WHERE id ${among} AND end_reason = 'compression'
         AND NOT EXISTS (SELECT 1 FROM sessions c
           WHERE c.parent_session_id = sessions.id AND c.parent_kind = 'compression')`,
      [own],
    );
  }

  /** The segments of an imported session that the import made, as JSON. */
  private segmentsOf(sessionId: string): string {
    const rows = this.database.all(
      "SELECT id FROM sessions WHERE id = ?1 OR (id >= ?1 || '.' AND id < ?1 || '/') ORDER BY id",
      [sessionId],
    );
    return JSON.stringify(rows.map((row) => readText(row, 'id', '')));
  }

  private state(sessionId: string): StoredImport {
    const session = this.sessions.find(sessionId);
    if (session !== null) {
      const lastActiveAt = Math.max(session.lastActiveAt, session.endedAt ?? 0);
      return {
        state: 'stored',
        mark: parsedAs(mark, this.store.meta.get(importMarkKey(sessionId))),
        isChanged: this.isChanged(sessionId),
        lastActiveAt,
      };
    }
    return { state: this.store.meta.get(erasedImportKey(sessionId)) === null ? 'absent' : 'erased' };
  }

  /** True when a turn or a segment was added here, or a row was rewritten, hidden or added. */
  private isChanged(sessionId: string): boolean {
    const segments = this.segmentsOf(sessionId);
    const isOwn = (column: string): string => `(substr(${column}, 1, length(?2) + 1) IN (?2 || '/', ?2 || '.'))`;
    return hasRow(
      this.database,
      `SELECT 1 AS n WHERE EXISTS (SELECT 1 FROM json_each(?1) s JOIN turns t ON t.session_id = s.value
         WHERE NOT ${isOwn('t.uid')})
           OR EXISTS (SELECT 1 FROM json_each(?1) s JOIN messages m ON m.session_id = s.value
             WHERE NOT ${isOwn('m.uid')} OR m.hidden_with IS NOT NULL
             OR EXISTS (SELECT 1 FROM message_revisions r WHERE r.message_uid = m.uid))
           OR EXISTS (SELECT 1 FROM json_each(?1) s
             JOIN sessions c ON c.parent_session_id = s.value AND c.parent_kind = 'compression'
             WHERE c.id NOT IN (SELECT value FROM json_each(?1)))`,
      [segments, sessionId],
    );
  }

  private parentOf(lineage: ImportLineage | null): Parent | null {
    if (lineage === null || this.sessions.find(lineage.parentId) === null) return null;
    const session = this.sessions.require(this.sessions.tip(lineage.parentId));
    const isOpenEnded = lineage.kind !== 'compression' || !this.isChanged(lineage.parentId);
    return { session, kind: isOpenEnded ? lineage.kind : 'branch' };
  }

  private adopt(sessionId: string, own: string, { session, kind }: Parent, at: number): void {
    this.database.run('UPDATE sessions SET parent_session_id = ?, parent_kind = ? WHERE id = ?', [
      session.id,
      kind,
      sessionId,
    ]);
    if (kind !== 'compression') return;
    this.database.run("UPDATE sessions SET end_reason = 'compression', ended_at = coalesce(ended_at, ?) WHERE id = ?", [
      at,
      session.id,
    ]);
    for (const [table, key] of [
      ['sessions', 'id'],
      ['turns', 'session_id'],
    ])
      this.database.run(`UPDATE ${table} SET conversation_id = ? WHERE ${key} IN (SELECT value FROM json_each(?))`, [
        session.conversationId,
        own,
      ]);
  }

  private insertSession(id: string, startedAt: number, before: Pick<Session, 'id' | 'conversationId'> | null): void {
    insertRow(this.database, 'sessions', {
      id,
      parent_session_id: before?.id ?? null,
      parent_kind: before === null ? null : 'compression',
      conversation_id: before?.conversationId ?? id,
      started_at: startedAt,
      last_activity_at: startedAt,
      seen_at: this.now(),
      pending: 'made',
    });
  }

  private write({ sessionId, segments, rows, turns }: ImportBatch, conversationId: string): void {
    for (const { id, parentId, startedAt } of segments) {
      this.insertSession(id, startedAt, { id: parentId, conversationId });
      this.database.run(
        `UPDATE sessions SET (cwd, source, origin) = (SELECT cwd, source, origin FROM sessions WHERE id = ?1)
         WHERE id = ?2`,
        [sessionId, id],
      );
      this.database.run("UPDATE sessions SET end_reason = 'compression', ended_at = ? WHERE id = ?", [
        startedAt,
        parentId,
      ]);
    }
    for (const row of rows) this.database.run(insertImported, row);
    for (const turn of turns)
      insertRow(this.database, 'turns', {
        uid: turn.uid,
        session_id: turn.sessionId,
        conversation_id: conversationId,
        user_message_uid: turn.userMessageUid,
        model: turn.model,
        state: 'settled',
        outcome: turn.outcome,
        stop_reason: turn.stopReason,
        started_at: turn.startedAt,
        settled_at: turn.settledAt,
        usage: turn.usage === null ? null : JSON.stringify(turn.usage),
      });
  }

  private describe(sessionId: string, segments: string, facts: ImportedFacts): void {
    const { usage } = facts;
    this.database.run(
      `UPDATE sessions SET last_activity_at = max(started_at, ?1), seen_at = max(coalesce(seen_at, 0), ?2),
       preview = coalesce(preview, ?3)
       WHERE id IN (SELECT value FROM json_each(?4))`,
      [
        Math.min(facts.lastActiveAt, this.now()),
        this.now(),
        facts.prompt === null ? null : previewOf(facts.prompt),
        segments,
      ],
    );
    this.database.run(
      `UPDATE sessions SET input_tokens = ?, output_tokens = ?, cache_read_tokens = ?, cache_write_tokens = ?,
       reasoning_tokens = ? WHERE id = ?`,
      [
        usage?.inputTokens ?? 0,
        usage?.outputTokens ?? 0,
        usage?.cachedInputTokens ?? 0,
        usage?.cacheWriteTokens ?? 0,
        usage?.reasoningTokens ?? 0,
        sessionId,
      ],
    );
    this.entitle(sessionId, facts);
    this.store.meta.set(importMarkKey(sessionId), JSON.stringify(facts.mark));
  }

  private entitle(sessionId: string, { title, titleSource, prompt }: ImportedFacts): void {
    const given = title === null ? null : derivedTitle(title.slice(0, titleLimit * 4), titleLimit);
    const derived = given ?? (prompt === null ? null : derivedTitle(prompt));
    if (derived !== null) this.store.titling.set(sessionId, derived, given === null ? 'derived' : titleSource);
  }
}
