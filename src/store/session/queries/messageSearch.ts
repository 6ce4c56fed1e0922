import type { SqlRow, SqlValue } from '../../engine/sqlDatabase';
import type { SearchHit, SearchQuery } from '../../requests';
import { type SlicedWork, sliceMs } from '../../slicedWork';
import { readInteger, readText } from '../tables/columns';
import { searchableText, type StoredMessage } from '../tables/messageRow';
import { invalid } from '../tables/refusal';
import { escapeLike } from './sessionList';
import { containsAll, containsTerms, searchTerms, type SearchTerms } from '../../search/searchTerms';
import { snippetOf } from '../../search/snippet';
import { StorePart } from '../tables/storePart';

const shown = `m.active = 1 AND m.display_kind IS NULL AND m.carried_from IS NULL AND s.trashed_at IS NULL
  AND s.pending IS NULL AND s.parent_kind IS NOT 'delegate'`;
/** Rows that the user can open from a hit: shown rows outside trash and sub-agents, each once. A carried row is
 *  found at its original place. A copy in a branch is found as its original while that can be opened and has the
 *  same text, unless specific sessions are searched. ?1: their ids as JSON, or null. */
const findable = `${shown} AND (?1 IS NULL
  OR s.conversation_id IN (SELECT conversation_id FROM sessions WHERE id IN (SELECT value FROM json_each(?1))))
  AND (m.copied_from IS NULL OR ?1 IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM messages o JOIN sessions os ON os.id = o.session_id
    WHERE (o.uid = m.copied_from OR (o.copied_from = m.copied_from AND o.id < m.id)) AND o.content = m.content
    AND ${shown.replaceAll('m.', 'o.').replaceAll(' s.', ' os.')}))`;
const hitColumns = 'm.*, s.title AS session_title, s.conversation_id';

const firstSlice = 500;
const smallestSlice = 25;
const largestSlice = 8000;

interface Found {
  readonly id: number;
  readonly hit: SearchHit;
}

const allRows: ScannedRows = { from: 'messages m', key: 'm.id', table: 'messages', id: 'id' };

const unindexedRows: ScannedRows = {
  from: 'search_dirty d CROSS JOIN messages m ON m.id = d.message_id',
  key: 'd.message_id',
  table: 'search_dirty',
  id: 'message_id',
};

/** Search over stored messages, newest first: uses the index for words, a scan for everything the index cannot
 *  answer, and reads rows not yet indexed directly. Runs as a generator of slices of about 20 ms so that its caller
 *  can do other work between two; holds no transaction. */
export class MessageSearch extends StorePart {
  /** Yields the progress of a scan of all rows. */
  *slices(query: SearchQuery): SlicedWork<readonly SearchHit[]> {
    const scope = scopeOf(query);
    const wanted = searchTerms(query.text);
    if (wanted === null) return [];
    if (wanted.match !== null && query.kind !== 'substring') {
      const indexed = this.indexed(scope, wanted, wanted.match);
      yield undefined;
      const found = [...indexed, ...(yield* this.scan(scope, wanted, unindexedRows, containsTerms))];
      if (found.length > 0 || query.kind === 'words') return newest(found, scope);
    }
    return newest(yield* this.scan(scope, wanted, allRows, containsAll), scope);
  }

  private indexed(scope: Scope, wanted: SearchTerms, match: string): Found[] {
    const rows = this.database.all(
      `SELECT ${hitColumns} FROM messages_fts f CROSS JOIN messages m ON m.id = f.docid
       CROSS JOIN sessions s ON s.id = m.session_id
       WHERE f.messages_fts MATCH ?2 AND ${findable} ORDER BY f.docid DESC LIMIT ?3`,
      [scope.sessions, match, scope.wanted],
    );
    return rows.map((row) => found(row, this.messages.read(row), wanted));
  }

  /** Reads rows from the newest to the oldest, one range of ids at a time, until enough are found. */
  private *scan(scope: Scope, wanted: SearchTerms, source: ScannedRows, matches: TextMatch): SlicedWork<Found[]> {
    const hits: Found[] = [];
    const { lowest, highest } = this.bounds(source);
    let size = firstSlice;
    let upper = highest;
    while (upper >= lowest && hits.length < scope.wanted) {
      const started = this.now();
      for (const row of this.range(scope, wanted, source, upper - size, upper)) {
        const stored = this.messages.read(row);
        // LIKE knows neither words nor streaming chunks, so its matches are checked again.
        if (matches(searchableText(stored.message), wanted.terms)) hits.push(found(row, stored, wanted));
        if (hits.length >= scope.wanted) break;
      }
      upper -= size;
      size = nextSize(size, (this.now() - started) * 1000);
      yield source === allRows
        ? { progress: { done: Math.min(highest - upper, highest - lowest + 1), total: highest - lowest + 1 } }
        : undefined;
    }
    return hits;
  }

  private range(scope: Scope, wanted: SearchTerms, source: ScannedRows, above: number, upTo: number): Iterable<SqlRow> {
    const values: SqlValue[] = [scope.sessions, above, upTo];
    const like = (variant: string): string => `m.content LIKE ?${values.push(`%${escapeLike(variant)}%`)} ESCAPE '\\'`;
    const likes = wanted.patterns.map((variants) => `(${variants.map(like).join(' OR ')})`);
    // CROSS JOIN keeps the order of the tables: SQLite must walk the range of ids, or a slice costs as much as the
    // whole scan.
    return this.database.iterate(
      `SELECT ${hitColumns} FROM ${source.from} CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${source.key} > ?2 AND ${source.key} <= ?3 AND ${findable}
       AND (m.state = 'streaming' OR (${likes.join(' AND ')}))
       ORDER BY ${source.key} DESC`,
      values,
    );
  }

  private bounds(source: ScannedRows): { readonly lowest: number; readonly highest: number } {
    const row = this.database.get(
      `SELECT (SELECT min(${source.id}) FROM ${source.table}) AS lowest,
       (SELECT max(${source.id}) FROM ${source.table}) AS highest`,
    );
    return {
      lowest: row === undefined ? 1 : readInteger(row, 'lowest', 1),
      highest: row === undefined ? 0 : readInteger(row, 'highest', 0),
    };
  }
}

/** Sessions to search and number of hits to find, including those to skip. */
interface Scope {
  /** Session ids as JSON; null: all sessions. */
  readonly sessions: string | null;
  readonly wanted: number;
  readonly offset: number;
}

function scopeOf({ limit, offset = 0, sessionId, sessionIds }: SearchQuery): Scope {
  if (!Number.isInteger(limit) || limit < 1) throw invalid('a search limit below one');
  if (!Number.isInteger(offset) || offset < 0) throw invalid('a search offset that is no count');
  const named = [...(sessionIds ?? []), ...(sessionId === undefined ? [] : [sessionId])];
  return {
    sessions: sessionId === undefined && sessionIds === undefined ? null : JSON.stringify(named),
    wanted: offset + limit,
    offset,
  };
}

type TextMatch = (text: string, terms: readonly string[]) => boolean;

interface ScannedRows {
  readonly from: string;
  readonly key: string;
  readonly table: string;
  readonly id: string;
}

function found(row: SqlRow, { id, message }: StoredMessage, wanted: SearchTerms): Found {
  return {
    id,
    hit: {
      sessionId: message.sessionId,
      sessionTitle: readText(row, 'session_title', null),
      conversationId: readText(row, 'conversation_id', message.sessionId),
      position: message.position,
      messageUid: message.uid,
      role: message.role,
      createdAt: message.createdAt,
      ...snippetOf(searchableText(message), wanted.terms),
    },
  };
}

function newest(found: readonly Found[], { offset, wanted }: Scope): readonly SearchHit[] {
  const byId = new Map(found.map((one) => [one.id, one.hit]));
  return [...byId]
    .sort(([a], [b]) => b - a)
    .slice(offset, wanted)
    .map(([, hit]) => hit);
}

function nextSize(size: number, elapsedMs: number): number {
  if (elapsedMs > sliceMs * 0.75) return Math.max(smallestSlice, Math.floor(size / 2));
  return elapsedMs < sliceMs / 4 ? Math.min(largestSlice, size * 2) : size;
}
