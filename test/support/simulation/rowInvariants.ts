import type { SqlDatabase, SqlRow } from '../../../src/store/engine/sqlDatabase';

interface KnownRow {
  readonly parts: string;
  readonly sessionId: string;
}

/** What must hold of the stored rows themselves: I6 a row that was final changes only with a revision of what it said · I10 a session that
 *  compression ended has exactly one continuation, with a handoff and, word for word, every active row that it does not speak for · I11 the
 *  first reason for an end stays · I13 nothing that was stored is deleted, and no row goes to another session · I15 what is sent changes no row
 *  (as I6). */
export class RowInvariants {
  private readonly known = new Map<string, KnownRow>();
  private readonly ends = new Map<string, string>();
  private readonly children = new Set<string>();

  constructor(private readonly broken: (what: string) => void) {}

  check(database: SqlDatabase): void {
    this.checkEnds(database);
    const rows = new Map<string, SqlRow>();
    for (const row of database.all("SELECT uid, session_id, parts FROM messages WHERE state = 'final'"))
      rows.set(String(row['uid']), row);
    for (const [uid, before] of this.known)
      if (!rows.has(uid)) this.broken(`I13: row ${uid} of ${before.sessionId} is no longer stored`);
    for (const [uid, row] of rows)
      this.checkRow(uid, { parts: String(row['parts']), sessionId: String(row['session_id']) }, database);
  }

  private checkRow(uid: string, now: KnownRow, database: SqlDatabase): void {
    const before = this.known.get(uid);
    if (before?.parts === now.parts && before.sessionId === now.sessionId) return;
    this.known.set(uid, now);
    if (before === undefined) return;
    if (before.sessionId !== now.sessionId)
      this.broken(`I13: row ${uid} went from ${before.sessionId} to ${now.sessionId}`);
    const kept = database.get('SELECT 1 AS n FROM message_revisions WHERE message_uid = ? AND parts = ?', [
      uid,
      before.parts,
    ]);
    if (kept === undefined && before.parts !== now.parts)
      this.broken(`I6, I15: row ${uid} said ${before.parts}, says ${now.parts}, and no revision has it`);
  }

  checkEnds(database: SqlDatabase): void {
    const sessions = database.all(`SELECT id, end_reason, parent_session_id, parent_kind,
      (SELECT group_concat(id) FROM sessions c WHERE c.parent_session_id = s.id AND c.parent_kind = 'compression') AS continuations FROM sessions s`);
    const ended = new Map(
      sessions.map((row) => [String(row['id']), row['end_reason'] === null ? null : String(row['end_reason'])]),
    );
    for (const row of sessions) {
      const [id, reason, continuations] = [
        String(row['id']),
        ended.get(String(row['id'])) ?? null,
        row['continuations'] === null ? [] : String(row['continuations']).split(','),
      ];
      const before = this.ends.get(id);
      if (before !== undefined && before !== reason)
        this.broken(`I11: session ${id} ended as ${before} and now as ${reason ?? 'nothing'}`);
      if (reason !== null) this.ends.set(id, reason);
      if (continuations.length !== (reason === 'compression' ? 1 : 0))
        this.broken(`I10: session ${id}, ended as ${reason ?? 'nothing'}, has ${continuations.length} continuations`);
      const parent = row['parent_kind'] === 'compression' ? String(row['parent_session_id']) : null;
      if (parent !== null && !this.children.has(id)) this.checkBirth(parent, id, database);
    }
  }

  /** Seen once, right behind the transaction that made it, before anything else can change either segment. */
  private checkBirth(parent: string, child: string, database: SqlDatabase): void {
    this.children.add(child);
    const [handoff, ...rows] = database.all(
      'SELECT uid, parts, carried_from FROM messages WHERE session_id = ? ORDER BY position',
      [child],
    );
    if (handoff?.['uid'] !== `${child}/handoff` || String(handoff['parts']).length < 10)
      this.broken(`I10: continuation ${child} does not begin with a handoff`);
    const carried = rows.flatMap((row) =>
      row['carried_from'] === null ? [] : [`${String(row['carried_from'])} ${String(row['parts'])}`],
    );
    const active = database.all(
      'SELECT uid, role, parts FROM messages WHERE session_id = ? AND active = 1 ORDER BY position',
      [parent],
    );
    const shape = (row: SqlRow): string => `${String(row['uid'])} ${String(row['parts'])}`;
    const isTail = (some: readonly string[]): boolean =>
      some.length === 0 || active.slice(-some.length).map(shape).join() === some.join();
    // A turn that is cut in two takes its prompt along, ahead of the rows behind.
    const cutPrompt = active.find((row) => row['role'] === 'user' && shape(row) === carried[0]);
    const differs = !isTail(carried) && (cutPrompt === undefined || !isTail(carried.slice(1)));
    if (differs) this.broken(`I10: continuation ${child} does not carry the last rows of ${parent} as they are`);
  }
}
