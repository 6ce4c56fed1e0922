import type { SqlDatabase, SqlRow } from '../../engine/sqlDatabase';
import { sliceTimer, type SlicedWork } from '../../slicedWork';
import type { SessionSize, StoreSizes } from '../../requests';
import { readInteger, readText, hasRow } from '../tables/columns';
import { batchRows, type Transactions } from '../tables/inBatches';

const columnBytes = (columns: readonly string[]): string =>
  columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ');

const messageBytes = columnBytes(
  ['parts', 'content', 'tool_calls', 'reasoning_content', 'reasoning_details', 'api_content'].map(
    (name) => `m.${name}`,
  ),
);

const imageBytes = `CASE WHEN instr(m.parts, '"image"') > 0 AND json_valid(m.parts)
  THEN (SELECT ifnull(sum(octet_length(json_extract(p.value, '$.dataBase64'))), 0) FROM json_each(m.parts) p
        WHERE json_extract(p.value, '$.kind') = 'image') ELSE 0 END`;

/** Tables of the full-text index, with the columns that take room. */
const indexTables = [
  ['messages_fts_segments', 'block'],
  ['messages_fts_segdir', 'root'],
  ['messages_fts_docsize', 'size'],
] as const;

interface Sum {
  title: string | null;
  messages: number;
  textBytes: number;
  imageBytes: number;
}

/** Measures what takes the room, in slices. Rows that change meanwhile are counted before or after the change. */
export function* storeSizesInSlices(database: SqlDatabase, transactions: Transactions): SlicedWork<StoreSizes> {
  const sums = new Map<string, Sum>();
  const sumOf = (id: string): Sum => {
    const known = sums.get(id) ?? { title: null, messages: 0, textBytes: 0, imageBytes: 0 };
    sums.set(id, known);
    return known;
  };
  yield* everyRow(
    database,
    transactions,
    `SELECT m.id AS id, m.session_id, ${messageBytes} AS text, ${imageBytes} AS images,
       (SELECT ifnull(sum(octet_length(r.parts) + octet_length(r.content)), 0) FROM message_revisions r
        WHERE r.message_uid = m.uid) AS revisions,
       (SELECT ifnull(sum(octet_length(c.text)), 0) FROM stream_chunks c
        WHERE m.state = 'streaming' AND c.message_uid = m.uid) AS chunks
     FROM messages m WHERE m.id > ? ORDER BY m.id LIMIT ?`,
    (row) => {
      const sum = sumOf(readText(row, 'session_id', ''));
      const images = readInteger(row, 'images', 0);
      sum.messages++;
      sum.imageBytes += images;
      sum.textBytes +=
        readInteger(row, 'text', 0) - images + readInteger(row, 'revisions', 0) + readInteger(row, 'chunks', 0);
    },
  );
  yield* everyRow(
    database,
    transactions,
    `SELECT rowid AS id, id AS session_id, title FROM sessions
     WHERE pending IS NULL AND rowid > ? ORDER BY rowid LIMIT ?`,
    (row) => (sumOf(readText(row, 'session_id', '')).title = readText(row, 'title', null)),
  );
  let searchIndexBytes = 0;
  for (const [table, column] of indexTables) {
    searchIndexBytes += transactions.read(() => bytesIn(database, table, column));
    yield undefined;
  }
  return transactions.read(() => ({
    sessions: [...sums].map(([sessionId, sum]): SessionSize => ({ sessionId, ...sum })).sort(largestFirst),
    fileContentBytes: bytesIn(database, 'file_contents', 'bytes'),
    searchIndexBytes,
    freeBytes: pragma(database, 'freelist_count') * pragma(database, 'page_size'),
    fileBytes: pragma(database, 'page_count') * pragma(database, 'page_size'),
  }));
}

/** Reads rows by number, as many in one transaction as fit into a slice. */
function* everyRow(
  database: SqlDatabase,
  transactions: Transactions,
  sql: string,
  read: (row: SqlRow) => void,
): SlicedWork<void> {
  for (let after = 0, isWhole = false; !isWhole;) {
    const timer = sliceTimer(transactions.monotonicMs);
    isWhole = transactions.read(() => {
      do {
        const rows = database.all(sql, [after, batchRows]);
        for (const row of rows) read(row);
        if (rows.length < batchRows) return true;
        after = readInteger(rows.at(-1) ?? {}, 'id', Number.MAX_SAFE_INTEGER);
      } while (!timer.isFull());
      return false;
    });
    yield undefined;
  }
}

function bytesIn(database: SqlDatabase, table: string, column: string): number {
  const isThere = hasRow(database, 'SELECT 1 AS n FROM sqlite_master WHERE name = ?', [table]);
  const sql = `SELECT sum(octet_length(${column})) AS n FROM ${table}`;
  return isThere ? readInteger(database.get(sql) ?? {}, 'n', 0) : 0;
}

function pragma(database: SqlDatabase, name: 'freelist_count' | 'page_count' | 'page_size'): number {
  return readInteger(database.get(`PRAGMA ${name}`) ?? {}, name, 0);
}

function largestFirst(one: SessionSize, other: SessionSize): number {
  return other.textBytes + other.imageBytes - one.textBytes - one.imageBytes;
}
