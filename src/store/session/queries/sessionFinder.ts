import type { FoundSession } from '../../conversations';
import { readText, texts, hasRow } from '../tables/columns';
import { StorePart } from '../tables/storePart';
import type { StoreQueries } from './storeQueries';

/** Maximum number of sessions returned for an ambiguous name. */
const mostNamed = 50;

/** Brackets and quotes that may surround a name copied from a text. */
const wrappings = ['[]', '()', '<>', '{}', '""', "''", '``', '“”', '„“', '‘’', '«»'];

/** Finds sessions by the name that the user or another program uses. Every method runs inside its caller's
 *  transaction. */
export class SessionFinder extends StorePart<StoreQueries> {
  resolve(idOrPrefix: string): string | null {
    if (idOrPrefix === '') return null;
    if (this.sessions.find(idOrPrefix) !== null) return this.withRows(idOrPrefix);
    const [only, ...others] = this.beginningWith(idOrPrefix, 2);
    return only === undefined || others.length > 0 ? null : this.withRows(only);
  }

  /** Finds by id, the beginning of an id, or title: first as typed, then without the brackets or quotes around it. */
  find(text: string): FoundSession {
    const name = text.trim();
    const found = this.named(name);
    const bare = found.kind === 'none' ? unwrapped(name) : null;
    return bare === null ? found : this.find(bare);
  }

  private named(name: string): FoundSession {
    if (name === '') return { kind: 'none' };
    const exact = this.conversations(this.sessions.find(name) === null ? [] : [name]);
    if (exact.kind === 'one') return exact;
    const beginning = this.conversations(this.beginningWith(name, mostNamed));
    if (beginning.kind === 'one') return beginning;
    const titled = this.conversations(this.titled(name));
    return titled.kind === 'none' ? beginning : titled;
  }

  /** Conversations outside the trash that contain these sessions. */
  private conversations(sessionIds: readonly string[]): FoundSession {
    const sessions = sessionIds.length === 0 ? [] : this.store.list.of(sessionIds);
    const [first, ...others] = sessions;
    if (first === undefined) return { kind: 'none' };
    return others.length > 0 ? { kind: 'several', sessions } : { kind: 'one', sessionId: this.withRows(first.id) };
  }

  private beginningWith(prefix: string, limit: number): readonly string[] {
    return texts(
      this.database,
      `SELECT id FROM sessions WHERE substr(id, 1, length(?1)) = ?1 AND pending IS NULL
         ORDER BY last_activity_at DESC LIMIT ?2`,
      [prefix, limit],
    );
  }

  /** SQLite folds the case of ASCII only, so titles are compared here. */
  private titled(name: string): readonly string[] {
    const folded = name.toLowerCase();
    const ids: string[] = [];
    for (const row of this.database.iterate(
      'SELECT id, title FROM sessions WHERE title IS NOT NULL AND pending IS NULL ORDER BY last_activity_at DESC',
    )) {
      if (readText(row, 'title', '').toLowerCase() === folded && ids.length < mostNamed)
        ids.push(readText(row, 'id', ''));
    }
    return ids;
  }

  /** The session itself, or, if it has no rows, the session that continues it: its continuation, or its only branch
   *  with rows. */
  private withRows(sessionId: string): string {
    const seen = new Set<string>();
    let current = sessionId;
    while (!seen.has(current)) {
      seen.add(current);
      if (this.hasRows(current)) return current;
      const next = this.sessions.continuation(current) ?? this.onlyBranch(current);
      if (next === null) return sessionId;
      current = next;
    }
    return sessionId;
  }

  private onlyBranch(sessionId: string): string | null {
    const branches = texts(
      this.database,
      "SELECT id FROM sessions WHERE parent_session_id = ? AND parent_kind = 'branch' AND pending IS NULL",
      [sessionId],
    ).filter((id) => this.hasRows(id) || this.sessions.continuation(id) !== null);
    const [only] = branches;
    return branches.length === 1 && only !== undefined ? only : null;
  }

  private hasRows(sessionId: string): boolean {
    return hasRow(this.database, 'SELECT 1 AS n FROM messages WHERE session_id = ? LIMIT 1', [sessionId]);
  }
}

/** The name without its brackets or quotes; null when it has none. */
function unwrapped(name: string): string | null {
  const around =
    name.length > 2 && wrappings.some((pair) => name.startsWith(pair.charAt(0)) && name.endsWith(pair.charAt(1)));
  return around ? name.slice(1, -1) : null;
}
