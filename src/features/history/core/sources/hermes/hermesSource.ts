import { t } from '../../../../../base/translate';
import { errorMessage } from '../../../../../base/errorMessage';
import type { ForeignPlace, ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import type { HistoryFiles } from '../reading/historyFiles';
import {
  columnsOf,
  rowNumber,
  type ForeignDatabase,
  type ForeignRow,
  type OpenForeignDatabase,
} from '../reading/foreignDatabase';
import { skip } from '../reading/records';
import { hermesCopies, type HermesCopies } from './hermesCopies';
import { hermesMessage } from './hermesMessage';
import { hermesSession } from './hermesSession';

/** The newest schema version that was read. Older ones lack columns, which read as absent. */
export const newestHermesSchema = 30;

/** Sessions of Hermes Agent: `state.db`, and one more for each profile. Schema versions 1 to 30, by
 *  hermes_state_common.py and hermes_state.py of NousResearch/hermes-agent (v2026.9.21). */
export class HermesSource implements HistorySource {
  readonly name = 'hermes';

  constructor(
    private readonly files: HistoryFiles,
    private readonly open: OpenForeignDatabase,
  ) {}

  async *locate({ hermes }: HistoryPlaces): AsyncGenerator<string> {
    if (await this.isFile(`${hermes}/state.db`)) yield `${hermes}/state.db`;
    for (const { name, kind } of await this.files.list(`${hermes}/profiles`)) {
      const path = `${hermes}/profiles/${name}/state.db`;
      if (kind === 'folder' && (await this.isFile(path))) yield path;
    }
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *read({ location, id, lineage }: ForeignSession): AsyncGenerator<ReadEvent> {
    const { path } = location;
    let records = 0;
    let database: ForeignDatabase | null = null;
    try {
      database = await this.open(path);
      const copies = copiesIn(database, location.key ?? id, lineage?.kind === 'compression' ? lineage.parentId : null);
      for (const row of hermesMessages(database, location.key ?? id)) {
        records++;
        const number = rowNumber(row, 'id') ?? records;
        const place: ForeignPlace = { path, unit: 'row', number };
        if (copies.isCopy(number)) {
          yield skip(place, 'repeated', 'The row repeats one from before a summary.');
          continue;
        }
        const read = hermesMessage(row, place, copies.isKept(number));
        if (read.kind !== 'message') {
          yield skip(place, read.kind, read.reason);
          continue;
        }
        yield { kind: 'message', records: 1, message: read.message };
        if (read.merged !== null) yield { kind: 'message', records: 0, message: read.merged };
      }
    } catch (error) {
      records++;
      yield skip({ path, unit: 'file', number: 1 }, 'damaged', restUnreadable(error));
    } finally {
      database?.close();
    }
    yield { kind: 'end', records };
  }

  private async isFile(path: string): Promise<boolean> {
    return (await this.files.stat(path))?.kind === 'file';
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    const place = { path, unit: 'file', number: 1 } as const;
    let database: ForeignDatabase | null = null;
    try {
      database = await this.open(path);
      yield* sessionsOf(database, path);
    } catch (error) {
      yield { kind: 'skipped', skipped: { place, kind: 'damaged', reason: restUnreadable(error) } };
    } finally {
      database?.close();
    }
  }
}

function restUnreadable(error: unknown): string {
  return t('The database, or the rest of it, can’t be read ({reason}).', {
    reason: errorMessage(error).replace(/\.$/, ''),
  });
}

function* sessionsOf(database: ForeignDatabase, path: string): Generator<Found> {
  const place = { path, unit: 'file', number: 1 } as const;
  const columns = columnsOf(database, 'sessions');
  if (!columns.has('id') || !columnsOf(database, 'messages').has('session_id')) {
    const reason = t('The database has no tables of Hermes Agent.');
    return yield { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
  }
  const schema = hermesSchema(database);
  if (schema > newestHermesSchema) {
    const reason = t('The database has schema version {version}. Versions up to {newest} can be read.', {
      version: String(schema),
      newest: String(newestHermesSchema),
    });
    return yield { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
  }
  let number = 0;
  for (const row of hermesSessionRows(database)) {
    number++;
    const session = hermesSession(row, path, schema);
    if (session !== null) yield { kind: 'session', session };
    else {
      const skipped = {
        place: { path, unit: 'row', number },
        kind: 'damaged',
        reason: 'The session has no id.',
      } as const;
      yield { kind: 'skipped', skipped };
    }
  }
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

export function hermesSchema(database: ForeignDatabase): number {
  if (!columnsOf(database, 'schema_version').has('version')) return 1;
  const [row] = [...database.iterate('SELECT max(version) AS version FROM schema_version')];
  return (row === undefined ? null : rowNumber(row, 'version')) ?? 1;
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
