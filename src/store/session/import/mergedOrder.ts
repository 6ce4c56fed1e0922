import type { SqlDatabase } from '../../engine/sqlDatabase';
import { readText, texts } from '../tables/columns';

/** Merges the order of rows of a session that two stores hold: theirs, with each of our own rows directly after the
 *  row that it follows here. */
export function mergedOrder(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  const known = new Set(theirs);
  const after = new Map<string | null, string[]>([[null, []]]);
  let run = after.get(null) ?? [];
  for (const uid of ours) {
    if (known.has(uid)) after.set(uid, (run = []));
    else run.push(uid);
  }
  return [...(after.get(null) ?? []), ...theirs.flatMap((uid) => [uid, ...(after.get(uid) ?? [])])];
}

/** Keeps the order of rows while rows of another store are imported into sessions that already have some. Runs
 *  inside its caller's transaction. */
export class SessionOrders {
  private readonly ours = new Map<string, readonly string[]>();
  private readonly theirs = new Map<string, { readonly uid: string; readonly position: number }[]>();

  constructor(private readonly database: SqlDatabase) {}

  /** Call for each of their rows, before it is imported. */
  note(sessionId: string, uid: string, position: number): void {
    if (!this.ours.has(sessionId)) this.ours.set(sessionId, this.uidsOf(sessionId));
    if (this.ours.get(sessionId)?.length === 0) return;
    const noted = this.theirs.get(sessionId);
    if (noted === undefined) this.theirs.set(sessionId, [{ uid, position }]);
    else noted.push({ uid, position });
  }

  /** Assigns positions to the rows and to the turns they belong to. */
  apply(): void {
    for (const [sessionId, rows] of this.theirs) {
      const ours = this.ours.get(sessionId) ?? [];
      const now = this.uidsOf(sessionId);
      if (now.length === ours.length) continue;
      const here = new Set(now);
      const theirs = rows
        .sort((a, b) => a.position - b.position)
        .map(({ uid }) => uid)
        .filter((uid) => here.has(uid));
      const merged = mergedOrder(ours, [...new Set(theirs)]);
      if (merged.some((uid, index) => uid !== now[index])) this.place(sessionId, merged);
      this.placeTurns(sessionId);
    }
  }

  private uidsOf(sessionId: string): readonly string[] {
    return texts(this.database, 'SELECT uid FROM messages WHERE session_id = ? ORDER BY position', [sessionId]);
  }

  /** Reassigns the existing positions among the rows. Goes through negative numbers, so that no step meets a
   *  position that is still taken. */
  private place(sessionId: string, uids: readonly string[]): void {
    const positions = this.database
      .all('SELECT position AS n FROM messages WHERE session_id = ? ORDER BY position', [sessionId])
      .map((row) => Number(row['n']));
    this.database.run('UPDATE messages SET position = -position - 1 WHERE session_id = ?', [sessionId]);
    uids.forEach((uid, index) =>
      this.database.run('UPDATE messages SET position = ? WHERE uid = ?', [positions[index] ?? 0, uid]),
    );
  }

  /** Numbers turns in the order in which they began. */
  private placeTurns(sessionId: string): void {
    const turns = this.database.all(
      `SELECT t.id, t.uid FROM turns t WHERE t.session_id = ?
       ORDER BY coalesce((SELECT min(m.position) FROM messages m
         WHERE m.turn_uid = t.uid AND m.session_id = t.session_id), 9e15), t.id`,
      [sessionId],
    );
    const positions = turns.map((row) => Number(row['id'])).sort((a, b) => a - b);
    if (turns.every((row, index) => row['id'] === positions[index])) return;
    this.database.run('UPDATE turns SET id = -id WHERE session_id = ?', [sessionId]);
    turns.forEach((row, index) =>
      this.database.run('UPDATE turns SET id = ? WHERE uid = ?', [positions[index] ?? 0, readText(row, 'uid', '')]),
    );
  }
}
