import { basename } from 'node:path';
import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { epochTimeOf, nameOf, numberOf, objectOf, textOf, unlessZero, usageOf } from '../reading/fields';
import { foundSession, skippedFile } from '../reading/foundSessions';
import {
  columnsOf,
  restUnreadable,
  type ForeignDatabase,
  type ForeignRow,
  type OpenForeignDatabase,
} from '../reading/foreignDatabase';
import { filesBelow, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { unreadable } from '../reading/records';
import { skip } from '../reading/sessionReading';
import { withSideFiles } from '../reading/sideFiles';
import { OpencodeReading, opencodeViews, titleOf } from './opencodeReading';
import { DatabaseStorage, FileStorage } from './opencodeStorage';

/** Other channels than the stable one have a database of their own. */
const databaseName = /\/opencode(?:-[\w.-]+)?\.db$/;

/** The columns default to 0, also for sessions that were never counted. */
const tokenCounts = {
  input: 'tokens_input',
  output: 'tokens_output',
  cached: 'tokens_cache_read',
  written: 'tokens_cache_write',
  reasoning: 'tokens_reasoning',
  addsCache: true,
} as const;

/** Sessions of opencode: a SQLite database, and JSON files in `storage/` before it. Formats read: 1.18.33, by a
 *  database that the program wrote; message-v2.ts and json-migration.ts of anomalyco/opencode. */
export class OpencodeSource implements HistorySource {
  readonly name = 'opencode';
  /** Databases that were searched, and the sessions in them: those are not read from their files. */
  private readonly searched = new Set<string>();
  private readonly known = new Set<string>();

  constructor(
    private readonly files: HistoryFiles,
    private readonly open: OpenForeignDatabase,
  ) {}

  async *locate({ opencode, opencodeDatabase }: HistoryPlaces): AsyncGenerator<string> {
    const databases = new Set<string>();
    for await (const path of filesBelow(this.files, opencode, 0, databaseName)) databases.add(path);
    if (opencodeDatabase !== null && (await this.files.stat(opencodeDatabase)) !== null)
      databases.add(opencodeDatabase);
    yield* databases;
    const folder = `${opencode}/storage/session`;
    for (const { name, kind } of await this.files.list(folder))
      if (kind === 'folder') yield* filesBelow(this.files, `${folder}/${name}`, 0, /\.json$/);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    if (!path.endsWith('.json')) return yield* this.findInDatabase(path);
    // The databases of a session file tell which sessions were moved into them.
    for await (const database of filesBelow(this.files, upFrom(path, 4), 0, databaseName))
      if (!this.searched.has(database)) for await (const found of this.findInDatabase(database)) void found;
    yield await this.findInFile(path);
  }

  async *read({ location, id }: ForeignSession): AsyncGenerator<ReadEvent> {
    const { path, key } = location;
    let database: ForeignDatabase | null = null;
    let reading: OpencodeReading | null = null;
    let unread = 0;
    try {
      if (key === null) {
        const storage = new FileStorage(this.files, upFrom(path, 3), id);
        const revert = objectOf(await jsonFile(this.files, path), 'revert');
        reading = new OpencodeReading(storage, await opencodeViews(storage, revert));
      } else {
        database = await this.open(path);
        const storage = new DatabaseStorage(database, path, key);
        reading = new OpencodeReading(storage, await opencodeViews(storage, revertOf(database, key)));
      }
      yield* withSideFiles(this.files, reading.events(), upFrom(path, key === null ? 4 : 1), ['tool-output']);
    } catch (error) {
      if (key === null) throw error;
      unread = 1;
      yield skip({ path, unit: 'file', number: 1 }, 'damaged', restUnreadable(error));
    } finally {
      database?.close();
    }
    yield { kind: 'end', records: (reading?.count ?? 0) + unread };
  }

  private async *findInDatabase(path: string): AsyncGenerator<Found> {
    this.searched.add(path);
    let database: ForeignDatabase | null = null;
    try {
      database = await this.open(path);
      if (!columnsOf(database, 'session').has('id') || !columnsOf(database, 'part').has('message_id'))
        return yield skippedFile(path, 'unknown', t('The database has no tables of {agent}.', { agent: 'opencode' }));
      let number = 0;
      for (const row of database.iterate('SELECT * FROM session ORDER BY time_created, id')) {
        number++;
        const id = nameOf(row, 'id');
        if (id === null) {
          const place = { path, unit: 'row', number } as const;
          yield { kind: 'skipped', skipped: { place, kind: 'damaged', reason: 'The session has no id.' } };
          continue;
        }
        this.known.add(id);
        yield foundSession('opencode', path, {
          id,
          key: id,
          lineage: lineageOf(nameOf(row, 'parent_id')),
          title: await titleOf(nameOf(row, 'title'), new DatabaseStorage(database, path, id)),
          folder: nameOf(row, 'directory'),
          model: nameOf(objectIn(row, 'model'), 'id'),
          startedAt: epochTimeOf(row, 'time_created'),
          endedAt: epochTimeOf(row, 'time_updated'),
          usage: unlessZero(usageOf(row, tokenCounts, numberOf(row, 'cost'))),
          writtenBy: nameOf(row, 'version'),
        });
      }
    } catch (error) {
      yield skippedFile(path, 'damaged', restUnreadable(error));
    } finally {
      database?.close();
    }
  }

  private async findInFile(path: string): Promise<Found> {
    const id = basename(path, '.json');
    if (this.known.has(id)) return skippedFile(path, 'repeated', t('The session is in the database, too.'));
    const value = await jsonFile(this.files, path);
    if (value === null) return skippedFile(path, 'damaged', unreadable());
    const time = objectOf(value, 'time');
    return foundSession('opencode', path, {
      id,
      lineage: lineageOf(nameOf(value, 'parentID')),
      title: await titleOf(nameOf(value, 'title'), new FileStorage(this.files, upFrom(path, 3), id)),
      folder: nameOf(value, 'directory'),
      startedAt: epochTimeOf(time, 'created'),
      endedAt: epochTimeOf(time, 'updated'),
      writtenBy: nameOf(value, 'version'),
    });
  }
}

function lineageOf(parentId: string | null): ForeignLineage | null {
  return parentId === null ? null : { kind: 'delegate', parentId };
}

/** The folder `levels` above a file. */
function upFrom(path: string, levels: number): string {
  return path.split('/').slice(0, -levels).join('/');
}

function revertOf(database: ForeignDatabase, sessionId: string): JsonObject | null {
  if (!columnsOf(database, 'session').has('revert')) return null;
  const [row] = [...database.iterate('SELECT revert FROM session WHERE id = ?', [sessionId])];
  return objectIn(row ?? null, 'revert');
}

/** The JSON object that a column holds. */
function objectIn(row: ForeignRow | null, column: string): JsonObject | null {
  const read = parseJsonObject(textOf(row, column) ?? '');
  return read.kind === 'object' ? read.value : null;
}
