import { groupedBy } from '../../../base/groupedBy';
import { t } from '../../../base/translate';
import type { CopyToThisFolder } from '../../sessionCopying';
import type { SqlDatabase, SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { Message } from '../../../transcript/message';
import type { StopReason } from '../../../transcript/stopReason';
import { readChunkRow, type StoredChunk } from '../tables/chunkFolding';
import { readInteger, oneOf, readText, readTime, textIn, hasRow } from '../tables/columns';
import { readLineage, importApprovals, importFileChanges } from './importSteps';
import { SessionOrders } from './mergedOrder';
import { readMessageRow } from '../tables/messageRow';
import { type ImportedTable, showWhatIsSent } from '../tables/rights';
import { withChunks } from '../tables/messageTable';
import { SoundRows, type StoreRows } from './soundRows';
import { readTurnRow } from '../tables/turnRow';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from '../operations/storeOperations';

export interface ImportReport {
  readonly sessions: number;
  readonly turns: number;
  readonly messages: number;
  /** Messages that already existed here and got the longer text of the other store. */
  readonly extended: number;
  /** Rows without an owner, rows that the schema refuses, and rows with a value that was left out. They stay in the
   *  other file. */
  readonly skipped: number;
}

/** Rows of a store with the same schema. */
export function rowsOf(database: SqlDatabase): StoreRows {
  return { rows: (table) => database.iterate(`SELECT * FROM ${table}`) };
}

/** Rows of some sessions of a store with the same schema, as requested by `copyToThisFolder`: parents first. Excludes
 *  rows that belong to no session. */
export function rowsOfSessions(
  database: SqlDatabase,
  { sessionIds, moves }: Pick<CopyToThisFolder, 'sessionIds' | 'moves'>,
): StoreRows {
  const named = JSON.stringify(sessionIds);
  const among = 'IN (SELECT value FROM json_each(?))';
  const ofMessage = `WHERE message_uid IN (SELECT uid FROM messages WHERE session_id ${among})`;
  const filters: { readonly [T in ImportedTable]: string } = {
    sessions: 'JOIN json_each(?) named ON named.value = sessions.id ORDER BY named.key',
    turns: `WHERE session_id ${among} ORDER BY id`,
    messages: `WHERE session_id ${among} ORDER BY id`,
    stream_chunks: ofMessage,
    message_revisions: ofMessage,
    approvals: `WHERE session_id ${among}`,
    queue: `WHERE ${String(moves)} AND session_id ${among} ORDER BY place`,
    outbox: `WHERE ${String(moves)} AND session_id ${among} ORDER BY id`,
    file_changes: `WHERE session_id ${among} ORDER BY id`,
    file_contents: `WHERE hash IN (SELECT iif(k.n = 0, before_hash, after_hash)
      FROM file_changes c, (SELECT 0 AS n UNION ALL SELECT 1) k WHERE c.session_id ${among})`,
    drafts: `WHERE key ${among}`,
    state_meta: `WHERE ${String(moves)}
      AND EXISTS (SELECT 1 FROM json_each(?) s
      WHERE substr(state_meta.key, -length(s.value) - 1) IN ('/' || s.value, ':' || s.value, '.' || s.value))`,
  };
  return { rows: (table) => database.iterate(`SELECT ${table}.* FROM ${table} ${filters[table]}`, [named]) };
}

interface ImportedTurn {
  readonly uid: string;
  readonly sessionId: string;
  readonly stopReason: StopReason;
  readonly settledAt: number;
  readonly supersedes: string | null;
}

/** Imports another store's rows, by id and uid. Existing rows stay; a message that is in both keeps the longer text,
 *  and the other text becomes a revision. A turn left running in the other store is settled as a crash: its process
 *  is gone. A repeated import changes nothing. Runs inside its caller's transaction. */
export class StoreImport extends StorePart<StoreOperations> {
  private counts = { sessions: 0, turns: 0, messages: 0, extended: 0, skipped: 0 };
  private readonly columns = new Map<string, readonly string[]>();
  /** Sessions that the other store was creating or erasing: they are not visible there either. */
  private readonly unfinished = new Set<string>();

  /** `waiting`: `goOn` keeps turns that await approval waiting here if their conversation has no open turn; `end`
   *  settles them all. `live`: turns of this process, which continue to run here. */
  run(rows: StoreRows, waiting: 'goOn' | 'end' = 'goOn', live: readonly string[] = []): ImportReport {
    return this.import(new SoundRows(this.database, rows, true), waiting, live);
  }

  /** Imports sessions that somebody else may have written. They give no rights here, and nothing of them reaches a
   *  model unseen. */
  runForeign(rows: StoreRows, sessionIds: readonly string[]): ImportReport {
    const report = this.import(new SoundRows(this.database, rows, false), 'end', []);
    this.freeCopies(sessionIds);
    showWhatIsSent(this.database, [...new Set(sessionIds.map((id) => this.conversationOf(id)))]);
    return report;
  }

  private import(source: SoundRows, waiting: 'goOn' | 'end', live: readonly string[]): ImportReport {
    this.counts = { sessions: 0, turns: 0, messages: 0, extended: 0, skipped: 0 };
    this.importSessions(source);
    const approvals = [...source.rows('approvals')];
    const pending = new Set(
      waiting === 'end'
        ? []
        : approvals.filter((row) => row['state'] === 'pending').map((row) => readText(row, 'id', '')),
    );
    const turns = this.importTurns(source.rows('turns'), pending, live);
    this.counts.skipped += importApprovals(this.database, approvals, (row) => this.insert('approvals', row));
    const superseded = [...turns.map(({ supersedes }) => supersedes), ...this.supersededBy(live)];
    this.importMessages(
      source.rows('messages'),
      chunksByMessage(source.rows('stream_chunks')),
      new Set(superseded),
      live,
    );
    for (const turn of turns) this.store.closing.close(turn, turn.stopReason, turn.settledAt);
    this.recountTurns(turns);
    this.importQueue(source.rows('queue'));
    // A prompt that is queued in one store may have been answered in the other.
    this.database.run('DELETE FROM queue WHERE uid IN (SELECT uid FROM messages)');
    this.importRevisions(source.rows('message_revisions'));
    for (const [table, key] of [
      ['drafts', 'key'],
      ['outbox', 'uid'],
      ['state_meta', 'key'],
    ] as const) {
      for (const row of source.rows(table))
        if (!this.insert(table, row) && !this.has(table, key, readText(row, key, ''))) this.counts.skipped++;
    }
    this.counts.skipped += importFileChanges(this.store, source.rows('file_changes'), source.rows('file_contents'));
    this.counts.skipped += source.count;
    return this.counts;
  }

  /** Makes originals of rows that name a missing row as the one they copy: otherwise a search would not find them. */
  private freeCopies(sessionIds: readonly string[]): void {
    this.database.run(
      `UPDATE messages SET copied_from = NULL
       WHERE copied_from IS NOT NULL AND session_id IN (SELECT value FROM json_each(?))
         AND NOT EXISTS (SELECT 1 FROM messages original WHERE original.uid = messages.copied_from)`,
      [JSON.stringify(sessionIds)],
    );
  }

  private importSessions(source: SoundRows): void {
    const continuations: SqlRow[] = [];
    for (const row of source.rows('sessions')) {
      const id = readText(row, 'id', null);
      if (id === null) this.counts.skipped++;
      else if (oneOf(row, 'pending', ['made', 'erased'], null) !== null) this.unfinished.add(id);
      else if (!this.has('sessions', 'id', id)) this.importSession(id, row);
      else this.raiseActivity(id, readTime(row, 'last_activity_at', 0));
      if (source.isOurs && row['parent_kind'] === 'compression') continuations.push(row);
    }
    for (const row of continuations) this.restoreEarlier(row);
    // Recompute the lineage rather than trust it: the parent may exist here and not there, or the reverse.
    readLineage(this.database);
  }

  /** Creates the first segment and the parent of a continuation, where a damaged file lost their rows: it would be a
   *  conversation of its own, which no longer fits to what other machines have. */
  private restoreEarlier(row: SqlRow): void {
    const [id, parent] = [readText(row, 'id', ''), readText(row, 'parent_session_id', null)];
    const first = readText(row, 'conversation_id', id);
    if (parent === null || first === id || this.unfinished.has(id)) return;
    const earlier = { ...row, end_reason: 'compression', ended_at: readTime(row, 'started_at', 0) };
    for (const [missing, before] of [
      [first, null],
      [parent, this.lastSegment(first)],
    ] as const)
      if (!this.has('sessions', 'id', missing))
        this.importSession(missing, {
          ...earlier,
          id: missing,
          parent_session_id: before,
          parent_kind: before === null ? null : 'compression',
        });
  }

  /** The limit ends a circle, which damage leaves. */
  private lastSegment(first: string): string {
    return (
      textIn(
        this.database,
        `WITH RECURSIVE segments (id, depth) AS (
         SELECT ?1, 0 UNION SELECT s.id, depth + 1 FROM segments
         JOIN sessions s ON s.parent_session_id = segments.id AND s.parent_kind = 'compression'
         LIMIT 10000)
       SELECT id FROM segments ORDER BY depth DESC LIMIT 1`,
        [first],
      ) ?? first
    );
  }

  private raiseActivity(id: string, at: number): void {
    this.database.run('UPDATE sessions SET last_activity_at = max(last_activity_at, ?) WHERE id = ?', [at, id]);
  }

  private importSession(id: string, row: SqlRow): void {
    const startedAt = readTime(row, 'started_at', this.now());
    const parent = readText(row, 'parent_session_id', null);
    const kind = oneOf(row, 'parent_kind', ['compression', 'branch', 'delegate'], null);
    // A segment has at most one continuation: a second one, from the other store, becomes a branch here.
    const taken =
      kind === 'compression' &&
      parent !== null &&
      hasRow(this.database, "SELECT 1 AS n FROM sessions WHERE parent_session_id = ? AND parent_kind = 'compression'", [
        parent,
      ]);
    const inserted = this.insert('sessions', {
      ...row,
      conversation_id: id,
      started_at: startedAt,
      last_activity_at: readTime(row, 'last_activity_at', startedAt),
      parent_kind: taken ? 'branch' : kind,
      pending: null,
      title_source: oneOf(row, 'title_source', ['derived', 'model', 'person'], null),
      message_count: 0,
      tool_call_count: 0,
      turn_count: 0,
    });
    if (inserted) this.counts.sessions++;
    else this.counts.skipped++;
  }

  /** Creates a session for a row that outlived its session in a damaged file, so that it can be found. */
  private ensureSession(id: string, at: number): void {
    if (this.has('sessions', 'id', id)) return;
    this.insert('sessions', {
      id,
      conversation_id: id,
      started_at: at,
      last_activity_at: at,
      title: t('Recovered session'),
      title_source: 'derived',
    });
    this.counts.sessions++;
  }

  private importTurns(
    rows: Iterable<SqlRow>,
    pending: ReadonlySet<string>,
    live: readonly string[],
  ): readonly ImportedTurn[] {
    const imported: ImportedTurn[] = [];
    for (const row of rows) {
      const turn = readTurnRow(row);
      if (turn.uid === '' || turn.sessionId === '') {
        this.counts.skipped++;
        continue;
      }
      if (this.unfinished.has(turn.sessionId) || this.has('turns', 'uid', turn.uid)) continue;
      this.ensureSession(turn.sessionId, turn.startedAt);
      const conversation = this.conversationOf(turn.sessionId);
      const slotFree = !hasRow(
        this.database,
        "SELECT 1 AS n FROM turns WHERE conversation_id = ? AND state <> 'settled'",
        [conversation],
      );
      const base = {
        ...row,
        session_id: turn.sessionId,
        conversation_id: conversation,
        user_message_uid: turn.userMessageUid,
        model: turn.model,
        started_at: turn.startedAt,
      };
      if (
        slotFree &&
        (turn.state === 'waiting' ? pending.has(turn.approvalId) : turn.state === 'running' && live.includes(turn.uid))
      ) {
        if (this.insert('turns', base)) this.counts.turns++;
        continue;
      }
      const ended =
        turn.state === 'settled'
          ? turn
          : ({ outcome: 'interrupted', stopReason: 'crash', settledAt: this.now() } as const);
      const values = {
        ...base,
        state: 'settled',
        approval_id: null,
        outcome: ended.outcome,
        stop_reason: ended.stopReason,
        settled_at: ended.settledAt,
      };
      if (!this.insert('turns', values)) {
        this.counts.skipped++;
        continue;
      }
      this.counts.turns++;
      imported.push({
        uid: turn.uid,
        sessionId: turn.sessionId,
        stopReason: ended.stopReason,
        settledAt: ended.settledAt,
        supersedes: readText(row, 'supersedes', null),
      });
    }
    return imported;
  }

  /** Recounts turns. They were counted when they were imported, but turns without active rows were taken back or
   *  replaced. */
  private recountTurns(turns: readonly ImportedTurn[]): void {
    this.database.run(
      `UPDATE sessions SET turn_count = (SELECT count(*) FROM turns t WHERE t.session_id = sessions.id
         AND EXISTS (SELECT 1 FROM messages m WHERE m.turn_uid = t.uid AND m.active = 1))
         WHERE id IN (SELECT value FROM json_each(?))`,
      [JSON.stringify([...new Set(turns.map(({ sessionId }) => sessionId))])],
    );
  }

  private supersededBy(turnUids: readonly string[]): readonly (string | null)[] {
    return this.database
      .all('SELECT supersedes FROM turns WHERE uid IN (SELECT value FROM json_each(?))', [JSON.stringify(turnUids)])
      .map((row) => readText(row, 'supersedes', null));
  }

  private importMessages(
    rows: Iterable<SqlRow>,
    chunks: ReadonlyMap<string, readonly StoredChunk[]>,
    superseded: ReadonlySet<string | null>,
    live: readonly string[],
  ): void {
    const orders = new SessionOrders(this.database);
    for (const row of rows) {
      const sessionId = readText(row, 'session_id', null);
      if (sessionId === null) {
        this.counts.skipped++;
        continue;
      }
      if (this.unfinished.has(sessionId)) continue;
      const uid = readText(row, 'uid', `salvaged/${sessionId}/${readInteger(row, 'id', 0)}`);
      const theirs = readMessageRow({ ...row, uid });
      const message = withChunks(theirs.message, theirs.readable ? (chunks.get(uid) ?? []) : []);
      const isLive = message.turnUid !== null && live.includes(message.turnUid);
      // An answer without any text is dropped when its turn ends; imported again, it would be added each time.
      if (
        !isLive &&
        theirs.readable &&
        message.role === 'assistant' &&
        message.state === 'streaming' &&
        message.parts.length === 0
      ) {
        this.counts.skipped++;
        continue;
      }
      const lastSeq = (chunks.get(uid) ?? []).at(-1)?.seq ?? 0;
      const whole: Message =
        message.role !== 'assistant'
          ? message
          : isLive
            ? { ...message, lastSeq: Math.max(message.lastSeq, lastSeq) }
            : { ...message, state: 'final' };
      const ours = this.messages.find(uid);
      orders.note(sessionId, uid, whole.position);
      if (ours === null) {
        this.ensureSession(sessionId, whole.createdAt);
        this.messages.insert(whole, this.placeFor(sessionId, whole.position));
        // Keep unreadable content as it is, for a later program that can read it.
        if (!theirs.readable)
          this.database.run('UPDATE messages SET parts = ?, content = ? WHERE uid = ?', [
            theirs.rawParts,
            theirs.rawContent,
            uid,
          ]);
        this.importMarks(uid, row);
        // The text that a provider got belongs to these parts alone; with chunks folded in, they are others.
        if (theirs.readable && !chunks.has(uid)) this.importWireText(uid, readText(row, 'api_content', null));
        this.counts.messages++;
      } else if (
        isFinal(ours.message) &&
        theirs.readable &&
        ours.message.role === whole.role &&
        textLength(whole) > textLength(ours.message)
      ) {
        this.messages.write(ours, {
          ...whole,
          sessionId: ours.message.sessionId,
          turnUid: ours.message.turnUid,
          visibility: ours.message.visibility,
        });
        this.counts.extended++;
      }
      if (ours !== null)
        this.importHiding(ours.message, theirs.message, readText(row, 'hidden_with', null), superseded);
    }
    orders.apply();
  }

  /** Hides a row when an imported turn replaces this version of its prompt. */
  private importHiding(
    ours: Message,
    theirs: Message,
    version: string | null,
    superseded: ReadonlySet<string | null>,
  ): void {
    if (
      version === null ||
      !superseded.has(version) ||
      ours.visibility.kind === 'hidden' ||
      theirs.visibility.kind !== 'hidden'
    )
      return;
    this.messages.hide(ours.uid, theirs.visibility.reason, null, version);
  }

  /** Stores the marks that a message itself does not carry: the row it copies, the prompt version it is hidden with,
   *  and the kind that a hidden row has when it is shown again. */
  private importMarks(uid: string, row: SqlRow): void {
    const marks = [readText(row, 'copied_from', null), readText(row, 'hidden_with', null)];
    if (marks.some((mark) => mark !== null))
      this.database.run('UPDATE messages SET copied_from = ?, hidden_with = ? WHERE uid = ?', [...marks, uid]);
    const kind = oneOf(row, 'display_kind', ['closing', 'handoff'], null);
    if (kind !== null)
      this.database.run('UPDATE messages SET display_kind = ? WHERE uid = ? AND active = 0', [kind, uid]);
  }

  private importWireText(uid: string, text: string | null): void {
    if (text !== null) this.database.run('UPDATE messages SET api_content = ? WHERE uid = ?', [text, uid]);
  }

  private placeFor(sessionId: string, position: number): number {
    const free =
      position > 0 &&
      this.database.get('SELECT 1 AS n FROM messages WHERE session_id = ? AND position = ?', [sessionId, position]) ===
        undefined;
    return free ? position : this.messages.endPosition(sessionId);
  }

  private importQueue(rows: Iterable<SqlRow>): void {
    for (const row of rows) {
      const sessionId = readText(row, 'session_id', null);
      if (sessionId === null || !this.has('sessions', 'id', sessionId)) {
        this.counts.skipped++;
        continue;
      }
      if (this.has('queue', 'uid', readText(row, 'uid', ''))) continue;
      const conversation = this.conversationOf(sessionId);
      const last = this.database.get('SELECT coalesce(max(place), 0) AS n FROM queue WHERE conversation_id = ?', [
        conversation,
      ])?.['n'];
      const place = readInteger({ last: last ?? 0 }, 'last', 0) + 1;
      if (!this.insert('queue', { ...row, conversation_id: conversation, place })) this.counts.skipped++;
    }
  }

  private importRevisions(rows: Iterable<SqlRow>): void {
    for (const row of rows) {
      const values = [readText(row, 'message_uid', ''), readTime(row, 'revised_at', 0), readText(row, 'parts', '')];
      if (!this.has('messages', 'uid', readText(row, 'message_uid', ''))) this.counts.skipped++;
      else if (
        !hasRow(
          this.database,
          'SELECT 1 AS n FROM message_revisions WHERE message_uid = ? AND revised_at = ? AND parts = ?',
          values,
        )
      ) {
        if (!this.insert('message_revisions', row)) this.counts.skipped++;
      }
    }
  }

  private conversationOf(sessionId: string): string {
    return textIn(this.database, 'SELECT conversation_id FROM sessions WHERE id = ?', [sessionId]) ?? sessionId;
  }

  private has(table: ImportedTable, key: string, value: string): boolean {
    return hasRow(this.database, `SELECT 1 AS n FROM ${table} WHERE ${key} = ?`, [value]);
  }

  /** Inserts the columns that this schema has. Returns false for a row that already exists or that the schema
   *  refuses. */
  private insert(table: ImportedTable, row: SqlRow): boolean {
    const columns = this.columnsOf(table).filter((column) => row[column] !== undefined);
    const values: SqlValue[] = columns.map((column) => row[column] ?? null);
    const { changes } = this.database.run(
      `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      values,
    );
    return changes > 0;
  }

  /** The table's columns, except for its row number, which would collide with ours. */
  private columnsOf(table: ImportedTable): readonly string[] {
    const known = this.columns.get(table);
    if (known !== undefined) return known;
    const columns = this.database
      .all(`PRAGMA table_info(${table})`)
      .filter((column) => !(column['name'] === 'id' && column['type'] === 'INTEGER'))
      .map((column) => readText(column, 'name', ''));
    this.columns.set(table, columns);
    return columns;
  }
}

function chunksByMessage(rows: Iterable<SqlRow>): ReadonlyMap<string, readonly StoredChunk[]> {
  const chunks = Array.from(rows, readChunkRow).sort((a, b) => a.seq - b.seq);
  return groupedBy(chunks, ({ messageUid }) => messageUid);
}

function isFinal(message: Message): boolean {
  return message.role !== 'assistant' || message.state === 'final';
}

function textLength(message: Message): number {
  return message.parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
}
