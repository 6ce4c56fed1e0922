import { t } from '../../../../../base/translate';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import type { ForeignSession, ForeignLineage } from '../foreign';
import { numberOf, countOf, epochTimeOf, nameOf, textOf, unlessZero, usageOf } from '../reading/fields';
import { skippedFile, foundSession } from '../reading/foundSessions';
import {
  columnsOf,
  restUnreadable,
  type ForeignDatabase,
  type ForeignRow,
  type OpenForeignDatabase,
} from '../reading/foreignDatabase';
import type { HistoryFiles } from '../reading/historyFiles';
import { skip } from '../reading/sessionReading';
import { hermesMessage, summaryIn } from './hermesMessage';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import { createHash } from 'node:crypto';

/** Rows that a compaction wrote again beside its summary. */
interface HermesCopies {
  /** True for a row that repeats an earlier one. */
  isCopy(id: number): boolean;
  /** True for a row whose copy after the newest summary is what the model still gets. Copies of the first messages do
   *  not count: they may be a prompt without its answer, and the summary tells them. */
  isKept(id: number): boolean;
}

interface Mark {
  readonly id: number;
  readonly digest: string;
  readonly isPrompt: boolean;
  readonly time: number | null;
  readonly isSummary: boolean;
  readonly isActive: boolean;
}

/** Most rows that a compaction keeps from the beginning of a session. */
const longestHead = 20;

/** Finds the copies. A compaction keeps the first and the last messages: rows before its summary repeat the beginning
 *  of the session, and rows after it repeat the end of what was there. `before`: rows of the session that this one
 *  continues, if any. Rows in order. */
function hermesCopies(before: Iterable<ForeignRow>, rows: Iterable<ForeignRow>): HermesCopies {
  const [copies, kept] = [new Set<number>(), new Set<number>()];
  const parents = [...before].map((row) => markOf(row));
  const own = [...rows].map((row) => markOf(row));
  const originals = parents.filter(({ isSummary }) => !isSummary);
  let seen = 0;
  own.forEach((summary, index) => {
    if (!summary.isSummary) return;
    const between = own.slice(seen, index).filter(({ id }) => !copies.has(id));
    const head = headCopies(originals, between);
    originals.push(...between.slice(0, between.length - head));
    const prompt = repeatedPrompt(originals, own[index + 1]);
    const after = own.slice(index + (prompt === null ? 1 : 2));
    const tail = tailCopies(originals, after);
    for (const { id } of between.slice(between.length - head)) copies.add(id);
    const pairs = after
      .slice(0, tail)
      .map((copy, place) => [copy, originals[originals.length - tail + place]] as const);
    for (const [copy, original] of [...(prompt === null ? [] : [prompt]), ...pairs]) {
      copies.add(copy.id);
      if (original !== undefined && copy.isActive) kept.add(original.id);
    }
    seen = index + 1;
  });
  return { isCopy: (id) => copies.has(id), isKept: (id) => kept.has(id) };
}

/** Number of rows at the end of `rows` that repeat the first originals. */
function headCopies(originals: readonly Mark[], rows: readonly Mark[]): number {
  for (let count = Math.min(longestHead, rows.length); count > 0; count--) {
    const start = rows.length - count;
    // Without an earlier session or summary, the originals are among the rows, and are no longer sent.
    const from = originals.length > 0 ? originals : rows.slice(0, start).filter(({ isActive }) => !isActive);
    if (from.length >= count && rows.slice(start).every(({ digest }, index) => digest === from[index]?.digest))
      return count;
  }
  return 0;
}

/** Finds a prompt that is written again right after the summary, because its turn continues while its first answers
 *  are summarized. Such a copy has the time of its original. */
function repeatedPrompt(
  originals: readonly Mark[],
  row: Mark | undefined,
): readonly [copy: Mark, original: Mark] | null {
  if (row?.isPrompt !== true || row.time === null) return null;
  const original = originals.findLast(({ digest, time }) => digest === row.digest && time === row.time);
  return original === undefined ? null : [row, original];
}

/** Number of rows at the beginning of `rows` that repeat the last originals. */
function tailCopies(originals: readonly Mark[], rows: readonly Mark[]): number {
  const next = rows.findIndex(({ isSummary }) => isSummary);
  for (let count = Math.min(originals.length, next === -1 ? rows.length : next); count > 0; count--) {
    const start = originals.length - count;
    const isEnd = originals[originals.length - 1]?.digest === rows[count - 1]?.digest;
    if (isEnd && rows.slice(0, count).every(({ digest }, index) => digest === originals[start + index]?.digest))
      return count;
  }
  return 0;
}

function markOf(row: ForeignRow): Mark {
  const content = textOf(row, 'content') ?? '';
  const fields = [textOf(row, 'role'), content, textOf(row, 'tool_call_id'), textOf(row, 'tool_calls')];
  return {
    id: numberOf(row, 'id') ?? 0,
    digest: createHash('sha256').update(JSON.stringify(fields)).digest('base64'),
    isPrompt: textOf(row, 'role') === 'user',
    time: numberOf(row, 'timestamp'),
    isSummary: numberOf(row, '_compressed_summary') === 1 || summaryIn(content) !== null,
    isActive: numberOf(row, 'active') !== 0,
  };
}

/** The newest schema version that was read. Older ones lack columns, which read as absent. */
const newestSchema = 30;

/** Sessions of Hermes Agent: `state.db`, and one more for each profile. Schema versions 1 to 30, by
 *  hermes_state_common.py and hermes_state.py of NousResearch/hermes-agent (v2026.9.21). */
export function hermesSource(files: HistoryFiles, open: OpenForeignDatabase): HistorySource {
  return {
    name: 'hermes',
    async *locate({ hermes }) {
      yield* fileAt(files, `${hermes}/state.db`);
      for (const { name, kind } of await files.list(`${hermes}/profiles`))
        if (kind === 'folder') yield* fileAt(files, `${hermes}/profiles/${name}/state.db`);
    },
    async *findIn(path) {
      let database: ForeignDatabase | null = null;
      try {
        database = await open(path);
        yield* sessionsOf(database, path);
      } catch (error) {
        yield skippedFile(path, 'damaged', restUnreadable(error));
      } finally {
        database?.close();
      }
    },
    read: (session) => events(open, session),
  };
}

async function* fileAt(files: HistoryFiles, path: string): AsyncGenerator<string> {
  if ((await files.stat(path))?.kind === 'file') yield path;
}

async function* events(
  open: OpenForeignDatabase,
  { location: { path, key }, id, lineage }: ForeignSession,
): AsyncGenerator<ReadEvent> {
  let records = 0;
  let database: ForeignDatabase | null = null;
  try {
    database = await open(path);
    const copies = copiesIn(database, key ?? id, lineage?.kind === 'compression' ? lineage.parentId : null);
    for (const row of hermesMessages(database, key ?? id)) {
      records++;
      const number = numberOf(row, 'id') ?? records;
      const place = { path, unit: 'row', number } as const;
      if (copies.isCopy(number)) {
        yield skip(place, 'repeated', 'The row repeats one from before a summary.');
        continue;
      }
      const read = hermesMessage(row, place, copies.isKept(number));
      if (read.kind === 'message') {
        yield { kind: 'message', records: 1, message: read.message };
        if (read.merged !== null) yield { kind: 'message', records: 0, message: read.merged };
      } else yield skip(place, read.kind, read.reason);
    }
  } catch (error) {
    records++;
    yield skip({ path, unit: 'file', number: 1 }, 'damaged', restUnreadable(error));
  } finally {
    database?.close();
  }
  yield { kind: 'end', records };
}

function* sessionsOf(database: ForeignDatabase, path: string): Generator<Found> {
  const schema = knownSchema(database);
  if (typeof schema === 'string') return yield skippedFile(path, 'unknown', schema);
  let number = 0;
  for (const row of hermesSessionRows(database)) {
    number++;
    const session = hermesSession(row, path, schema);
    const place = { path, unit: 'row', number } as const;
    if (session !== null) yield { kind: 'session', session };
    else yield { kind: 'skipped', skipped: { place, kind: 'damaged', reason: 'The session has no id.' } };
  }
}

/** Schema version of a database of Hermes Agent; a sentence for another one, and for a later version. */
export function knownSchema(database: ForeignDatabase): number | string {
  if (!columnsOf(database, 'sessions').has('id') || !columnsOf(database, 'messages').has('session_id'))
    return t('The database has no tables of Hermes Agent.');
  const schema = schemaOf(database);
  if (schema <= newestSchema) return schema;
  return t('The database has schema version {version}. Versions up to {newest} can be read.', {
    version: String(schema),
    newest: String(newestSchema),
  });
}

const noCopies: HermesCopies = { isCopy: () => false, isKept: () => false };

/** Reads the rows of a session with a summary once more, and those of the session that it continues. */
function copiesIn(database: ForeignDatabase, sessionId: string, parentId: string | null): HermesCopies {
  const columns = columnsOf(database, 'messages');
  if (!columns.has('id') || !columns.has('content')) return noCopies;
  const marked = columns.has('_compressed_summary') ? '_compressed_summary = 1 OR ' : '';
  const summary = `SELECT id FROM messages
    WHERE session_id = ? AND (${marked}substr(content, 1, 15) LIKE '%CONTEXT %') LIMIT 1`;
  if ([...database.iterate(summary, [sessionId])].length === 0) return noCopies;
  const parent = parentId === null ? [] : hermesMessages(database, parentId);
  return hermesCopies(parent, hermesMessages(database, sessionId));
}

/** Rows of `sessions`, oldest first, with the end reason of the parent as `parent_end_reason`. */
export function hermesSessionRows(database: ForeignDatabase): IterableIterator<ForeignRow> {
  const columns = columnsOf(database, 'sessions');
  const order = columns.has('started_at') ? 's.started_at, s.rowid' : 's.rowid';
  const parent = ['parent_session_id', 'end_reason'].every((name) => columns.has(name))
    ? '(SELECT p.end_reason FROM sessions p WHERE p.id = s.parent_session_id)'
    : 'NULL';
  return database.iterate(`SELECT s.*, ${parent} AS parent_end_reason FROM sessions s ORDER BY ${order}`);
}

function schemaOf(database: ForeignDatabase): number {
  if (!columnsOf(database, 'schema_version').has('version')) return 1;
  const [row] = [...database.iterate('SELECT max(version) AS version FROM schema_version')];
  return numberOf(row ?? null, 'version') ?? 1;
}

const asBytes = new Set(['content', 'tool_calls', 'reasoning', 'reasoning_content', 'reasoning_details']);
const read = ['id', 'role', 'tool_call_id', 'tool_name', 'timestamp', 'finish_reason', '_compressed_summary'];
const readAlso = ['active', 'compacted', 'display_kind', ...asBytes];

/** Rows of a session in the order of their ids: times regress when a clock is set back. */
export function hermesMessages(database: ForeignDatabase, sessionId: string): IterableIterator<ForeignRow> {
  const columns = columnsOf(database, 'messages');
  const selected = [...read, ...readAlso]
    .filter((name) => columns.has(name))
    .map((name) => (asBytes.has(name) ? `CAST(${name} AS BLOB) AS ${name}` : name));
  const order = columns.has('id') ? 'id' : 'rowid';
  return database.iterate(`SELECT ${selected.join(', ')} FROM messages WHERE session_id = ? ORDER BY ${order}`, [
    sessionId,
  ]);
}

/** Input tokens exclude those of the cache; the total includes them. */
const tokenCounts = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_tokens',
  written: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  addsCache: true,
} as const;

/** Reads a row of `sessions`, joined with `parent_end_reason`. Null for a row without an id. */
export function hermesSession(row: ForeignRow, path: string, schema: number): ForeignSession | null {
  const id = nameOf(row, 'id');
  if (id === null) return null;
  const cost = numberOf(row, 'actual_cost_usd') ?? numberOf(row, 'estimated_cost_usd');
  return foundSession('hermes', path, {
    id,
    key: id,
    lineage: lineageOf(row),
    title: nameOf(row, 'title'),
    folder: nameOf(row, 'cwd'),
    model: nameOf(row, 'model'),
    startedAt: epochTimeOf(row, 'started_at'),
    endedAt: epochTimeOf(row, 'ended_at') ?? epochTimeOf(row, 'last_activity_at'),
    usage: unlessZero(usageOf(row, tokenCounts, cost)),
    writtenBy: `schema ${schema}`,
    messageCount: countOf(row, 'message_count'),
  }).session;
}

/** A continuation inherits its parent's markers and source, so a marker counts only when it names the parent itself,
 *  and the source only without a marker. A child without a marker continues a parent that ended by compression. */
function lineageOf(row: ForeignRow): ForeignLineage | null {
  const parentId = nameOf(row, 'parent_session_id');
  if (parentId === null) return null;
  const config = configOf(row);
  if (nameOf(config, '_reset_from') === parentId) return null;
  if (nameOf(config, '_branched_from') === parentId) return { kind: 'branch', parentId };
  const caller = nameOf(config, '_delegate_from') ?? (textOf(row, 'source') === 'subagent' ? parentId : null);
  if (caller === parentId) return { kind: 'delegate', parentId };
  switch (textOf(row, 'parent_end_reason')) {
    case 'compression':
      return { kind: 'compression', parentId };
    case 'branched':
      return { kind: 'branch', parentId };
    default:
      return null;
  }
}

function configOf(row: ForeignRow): JsonObject | null {
  const read = parseJsonObject(textOf(row, 'model_config') ?? '');
  return read.kind === 'object' ? read.value : null;
}
