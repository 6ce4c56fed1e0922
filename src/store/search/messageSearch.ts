import type { SqlDatabase, SqlRow, SqlValue } from '../engine/sqlDatabase';
import type { SearchHit, SearchQuery } from '../sessionStore';
import { numberOr, textOr } from '../session/columns';
import { searchableText, type StoredMessage } from '../session/messageRow';
import type { MessageTable } from '../session/messageTable';
import { invalid } from '../session/refusal';
import { escapeLike } from '../session/sessionTable';
import { containsAll, containsWords, searchWords, type SearchWords } from './searchWords';
import { snippetOf } from './snippet';

/** What a person can open from a hit: shown rows, each once (a carried row is found where it was written), outside trash and sub-agents. */
const findable = `m.active = 1 AND m.display_kind IS NULL AND m.carried_from IS NULL AND s.trashed_at IS NULL AND s.parent_kind IS NOT 'delegate'
  AND (?1 IS NULL OR s.conversation_id = (SELECT conversation_id FROM sessions WHERE id = ?1))`;
const hitColumns = 'm.*, s.title AS session_title';

const sliceMs = 20;
const firstSlice = 500;
const smallestSlice = 25;
const largestSlice = 8000;

interface Found {
  readonly id: number;
  readonly hit: SearchHit;
}

/** Search over stored messages, newest first: the index for words, a scan for everything it cannot answer, and the rows not yet indexed
 *  directly. Runs as a generator of slices of about 20 ms so that its caller can do other work between two; no transaction is held. */
export class MessageSearch {
  constructor(
    private readonly database: SqlDatabase,
    private readonly messages: MessageTable,
    /** Seconds; only to size the slices. */
    private readonly now: () => number,
  ) {}

  *slices(query: SearchQuery): Generator<void, readonly SearchHit[], void> {
    if (!Number.isInteger(query.limit) || query.limit < 1) throw invalid('a search limit below one');
    const words = searchWords(query.text);
    if (words === null) return [];
    if (words.match !== null) {
      const indexed = this.indexed(query, words, words.match);
      yield;
      const found = [...indexed, ...(yield* this.scan(query, words, unindexedRows, containsWords))];
      if (found.length > 0) return newest(found, query.limit);
    }
    return newest(yield* this.scan(query, words, allRows, containsAll), query.limit);
  }

  private indexed(query: SearchQuery, words: SearchWords, match: string): Found[] {
    const rows = this.database.all(
      `SELECT ${hitColumns} FROM messages_fts f CROSS JOIN messages m ON m.id = f.docid CROSS JOIN sessions s ON s.id = m.session_id
       WHERE f.messages_fts MATCH ?2 AND ${findable} ORDER BY f.docid DESC LIMIT ?3`,
      [query.sessionId ?? null, match, query.limit],
    );
    return rows.map((row) => found(row, this.messages.read(row), words));
  }

  /** Reads rows from the newest to the oldest, a range of ids at a time, until enough are found. */
  private *scan(query: SearchQuery, words: SearchWords, source: ScannedRows, matches: TextMatch): Generator<void, Found[], void> {
    const hits: Found[] = [];
    const { lowest, highest } = this.bounds(source);
    let size = firstSlice;
    let upper = highest;
    while (upper >= lowest && hits.length < query.limit) {
      const started = this.now();
      for (const row of this.range(query, words, source, upper - size, upper)) {
        const stored = this.messages.read(row);
        // LIKE knows neither words nor streaming chunks: what it let through is looked at again.
        if (matches(searchableText(stored.message), words.terms)) hits.push(found(row, stored, words));
        if (hits.length >= query.limit) break;
      }
      upper -= size;
      size = nextSize(size, (this.now() - started) * 1000);
      yield;
    }
    return hits;
  }

  private range(query: SearchQuery, words: SearchWords, source: ScannedRows, above: number, upTo: number): Iterable<SqlRow> {
    const values: SqlValue[] = [query.sessionId ?? null, above, upTo];
    const likes = words.patterns.map(
      (variants) => `(${variants.map((variant) => `m.content LIKE ?${values.push(`%${escapeLike(variant)}%`)} ESCAPE '\\'`).join(' OR ')})`,
    );
    // CROSS JOIN keeps the order of the tables: the range of ids must be what is walked, or a slice costs as much as the whole.
    return this.database.iterate(
      `SELECT ${hitColumns} FROM ${source.from} CROSS JOIN sessions s ON s.id = m.session_id
       WHERE ${source.key} > ?2 AND ${source.key} <= ?3 AND ${findable} AND (m.state = 'streaming' OR (${likes.join(' AND ')}))
       ORDER BY ${source.key} DESC`,
      values,
    );
  }

  private bounds(source: ScannedRows): { readonly lowest: number; readonly highest: number } {
    const row = this.database.get(`SELECT (SELECT min(${source.id}) FROM ${source.table}) AS lowest, (SELECT max(${source.id}) FROM ${source.table}) AS highest`);
    return { lowest: row === undefined ? 1 : numberOr(row, 'lowest', 1), highest: row === undefined ? 0 : numberOr(row, 'highest', 0) };
  }
}

type TextMatch = (text: string, terms: readonly string[]) => boolean;

interface ScannedRows {
  readonly from: string;
  readonly key: string;
  readonly table: string;
  readonly id: string;
}
const allRows: ScannedRows = { from: 'messages m', key: 'm.id', table: 'messages', id: 'id' };
const unindexedRows: ScannedRows = {
  from: 'search_dirty d CROSS JOIN messages m ON m.id = d.message_id',
  key: 'd.message_id',
  table: 'search_dirty',
  id: 'message_id',
};

function found(row: SqlRow, { id, message }: StoredMessage, words: SearchWords): Found {
  return {
    id,
    hit: {
      sessionId: message.sessionId,
      sessionTitle: textOr(row, 'session_title', null),
      messageUid: message.uid,
      role: message.role,
      createdAt: message.createdAt,
      ...snippetOf(searchableText(message), words.terms),
    },
  };
}

function newest(found: readonly Found[], limit: number): readonly SearchHit[] {
  const byId = new Map(found.map((one) => [one.id, one.hit]));
  return [...byId].sort(([a], [b]) => b - a).slice(0, limit).map(([, hit]) => hit);
}

function nextSize(size: number, elapsedMs: number): number {
  if (elapsedMs > sliceMs * 0.75) return Math.max(smallestSlice, Math.floor(size / 2));
  return elapsedMs < sliceMs / 4 ? Math.min(largestSlice, size * 2) : size;
}
