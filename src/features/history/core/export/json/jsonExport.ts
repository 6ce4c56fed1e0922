import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { schemaVersion } from '../../../../../store/schema/migrations';
import {
  exportFormat,
  exportVersion,
  type ExportTrailer,
  jsonColumns,
  rowLine,
  type ColumnValue,
  type ExportedTable,
  type StoreRow,
} from '../../sources/hermesExport/exportFormat';
import type { JsonValue } from '../../../../../transcript/json';
import { maskedJson } from '../readable/maskedRecord';
import type { ExportOptions } from '../output/exportOptions';
import type { OutputFile } from '../output/outputFile';
import type { SecretMask } from '../output/secretMask';

const ofSession: readonly (readonly [ExportedTable, string])[] = [
  ['sessions', 'SELECT * FROM sessions WHERE id = ? AND pending IS NULL'],
  ['turns', 'SELECT * FROM turns WHERE session_id = ? ORDER BY id'],
  ['messages', 'SELECT * FROM messages WHERE session_id = ? ORDER BY id'],
  [
    'stream_chunks',
    `SELECT c.* FROM messages m JOIN stream_chunks c ON c.message_uid = m.uid
     WHERE m.session_id = ? ORDER BY m.id, c.seq`,
  ],
  [
    'message_revisions',
    'SELECT r.* FROM messages m JOIN message_revisions r ON r.message_uid = m.uid WHERE m.session_id = ? ORDER BY r.id',
  ],
  ['approvals', 'SELECT * FROM approvals WHERE session_id = ? ORDER BY rowid'],
  ['queue', 'SELECT * FROM queue WHERE session_id = ? ORDER BY place'],
  ['drafts', 'SELECT * FROM drafts WHERE key = ?'],
  ['file_changes', 'SELECT * FROM file_changes WHERE session_id = ? ORDER BY id'],
];

/** All rows of the given sessions, session by session, then the contents of changed files, each once. Leaves out
 *  sessions that are still being made or erased. */
function* rowsOfSessions(
  database: SqlDatabase,
  sessionIds: readonly string[],
  withFileContents: boolean,
): Generator<StoreRow> {
  const whole = sessionIds.filter(
    (id) => database.get('SELECT 1 AS n FROM sessions WHERE id = ? AND pending IS NULL', [id]) !== undefined,
  );
  for (const id of whole)
    for (const [table, sql] of ofSession) for (const row of database.iterate(sql, [id])) yield { table, row };
  if (!withFileContents) return;
  const contents = database.iterate(
    `SELECT * FROM file_contents WHERE hash IN (
       SELECT iif(k.n = 0, before_hash, after_hash) FROM file_changes c, (SELECT 0 AS n UNION ALL SELECT 1) k
       WHERE c.session_id IN (SELECT value FROM json_each(?))) ORDER BY hash`,
    [JSON.stringify(whole)],
  );
  for (const row of contents) yield { table: 'file_contents', row };
}
/** Columns with text of the user, the model or a tool. */
const textColumns: { readonly [T in ExportedTable]?: readonly string[] } = {
  sessions: ['title', 'preview', 'system_prompt'],
  messages: ['content', 'reasoning_content', 'api_content'],
  stream_chunks: ['text'],
  message_revisions: ['content'],
  queue: ['text'],
  drafts: ['text'],
};

/** Strings that connect rows, or are not text: a mask would break a call's link to its result, or an image. */
const keptKeys: ReadonlySet<string> = new Set(['kind', 'callId', 'id', 'sessionId', 'dataBase64', 'mediaType']);

/** Returns the row with its secrets masked. Ids and numbers stay. */
function maskedRow({ table, row }: StoreRow, { mask }: Pick<SecretMask, 'mask'>): StoreRow {
  const texts = new Set(textColumns[table]);
  const json = new Set(jsonColumns[table]);
  const masked = (name: string, value: ColumnValue): ColumnValue => {
    if (typeof value !== 'string') return value;
    if (texts.has(name)) return mask(value);
    return json.has(name) ? maskedJsonText(value, mask) : value;
  };
  return { table, row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, masked(name, value)])) };
}

function maskedJsonText(text: string, mask: (text: string) => string): string {
  try {
    const value: JsonValue = JSON.parse(text);
    return JSON.stringify(maskedJson(value, mask, keptKeys));
  } catch {
    return mask(text);
  }
}

/** Rows between two moments at which a stop is noticed. */
const rowsPerSlice = 200;

/** Writes all rows of these sessions, one per line of a JSON document. Memory does not grow with the sessions. With a
 *  mask that is on, the contents of changed files are left out: they are bytes, and may hold secrets. */
export async function exportRows(
  database: SqlDatabase,
  sessionIds: readonly string[],
  output: OutputFile,
  mask: SecretMask,
  options: ExportOptions,
): Promise<ExportTrailer> {
  const counts: Record<string, number> = {};
  const header = {
    format: exportFormat,
    version: exportVersion,
    schemaVersion,
    exportedAt: new Date(options.now() * 1000).toISOString(),
    lossless: !mask.isOn,
  };
  output.write(`${JSON.stringify(header).slice(0, -1)},"rows":[`);
  let [rows, sessions] = [0, 0];
  for (const row of rowsOfSessions(database, sessionIds, !mask.isOn)) {
    output.write(`${rows === 0 ? '' : ','}\n${rowLine(mask.isOn ? maskedRow(row, mask) : row)}`);
    counts[row.table] = (counts[row.table] ?? 0) + 1;
    if (row.table === 'sessions') options.onProgress({ done: sessions++, total: sessionIds.length });
    if (++rows % rowsPerSlice === 0) await options.pause();
  }
  const trailer = { counts, maskedSecrets: mask.count };
  output.write(`\n],${JSON.stringify(trailer).slice(1)}\n`);
  return trailer;
}
