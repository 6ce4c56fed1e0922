import { basename } from 'node:path';
import { errorMessage } from '../../../../../base/errorMessage';
import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { columnsOf, rowText, type ForeignDatabase, type OpenForeignDatabase } from '../reading/foreignDatabase';
import { objectOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';
import { skip } from '../reading/records';
import { withSideFiles } from '../reading/sideFiles';
import { firstPrompt, isPlaceholder, OpencodeReading } from './opencodeReading';
import { sessionOfFile, sessionOfRow } from './opencodeSession';
import { DatabaseStorage, FileStorage, jsonFile, unreadable } from './opencodeStorage';
import { opencodeViews } from './opencodeViews';

/** Other channels than the stable one have a database of their own. */
const databaseName = /^opencode(?:-[\w.-]+)?\.db$/;

/** Sessions of opencode: a SQLite database, and JSON files in `storage/` before it. Formats read: 1.18.33, by a
 *  database that the program wrote; message-v2.ts and json-migration.ts of anomalyco/opencode. */
export class OpencodeSource implements HistorySource {
  readonly name = 'opencode';

  constructor(
    private readonly files: HistoryFiles,
    private readonly open: OpenForeignDatabase,
  ) {}

  async *locate({ opencode, opencodeDatabase }: HistoryPlaces): AsyncGenerator<string> {
    const databases = new Set<string>();
    for await (const path of this.databasesIn(opencode)) databases.add(path);
    if (opencodeDatabase !== null && (await this.files.stat(opencodeDatabase)) !== null)
      databases.add(opencodeDatabase);
    yield* databases;
    const folder = `${opencode}/storage/session`;
    for (const project of await this.files.list(folder)) {
      if (project.kind !== 'folder') continue;
      for (const { name, kind } of await this.files.list(`${folder}/${project.name}`)) {
        if (kind === 'file' && name.endsWith('.json')) yield `${folder}/${project.name}/${name}`;
      }
    }
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    const known = new Set<string>();
    for await (const path of this.locate(places)) yield* this.findInFile(path, known);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    const known = new Set<string>();
    // The databases of a session file tell which sessions were moved into them.
    if (path.endsWith('.json')) {
      for await (const database of this.databasesIn(upFrom(path, 4))) {
        for await (const found of this.findInDatabase(database, known)) void found;
      }
    }
    yield* this.findInFile(path, known);
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
      if (database === null && key === null) throw error;
      unread = 1;
      yield skip({ path, unit: 'file', number: 1 }, 'damaged', restUnreadable(error));
    } finally {
      database?.close();
    }
    yield { kind: 'end', records: (reading?.count ?? 0) + unread };
  }

  private async *findInDatabase(path: string, known: Set<string>): AsyncGenerator<Found> {
    const place = { path, unit: 'file', number: 1 } as const;
    let database: ForeignDatabase | null = null;
    try {
      database = await this.open(path);
      if (!columnsOf(database, 'session').has('id') || !columnsOf(database, 'part').has('message_id')) {
        const reason = t('The database has no tables of {agent}.', { agent: 'opencode' });
        return yield { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
      }
      let number = 0;
      for (const row of database.iterate('SELECT * FROM session ORDER BY time_created, id')) {
        number++;
        const session = sessionOfRow(row, path);
        if (session === null) {
          const reason = 'The session has no id.';
          yield { kind: 'skipped', skipped: { place: { path, unit: 'row', number }, kind: 'damaged', reason } };
          continue;
        }
        known.add(session.id);
        const title = isPlaceholder(session.title)
          ? await firstPrompt(new DatabaseStorage(database, path, session.id))
          : session.title;
        yield { kind: 'session', session: { ...session, title: title ?? session.title } };
      }
    } catch (error) {
      yield { kind: 'skipped', skipped: { place, kind: 'damaged', reason: restUnreadable(error) } };
    } finally {
      database?.close();
    }
  }

  private async *databasesIn(folder: string): AsyncGenerator<string> {
    for (const { name, kind } of await this.files.list(folder)) {
      if (kind === 'file' && databaseName.test(name)) yield `${folder}/${name}`;
    }
  }

  private async *findInFile(path: string, known: Set<string>): AsyncGenerator<Found> {
    if (path.endsWith('.json')) yield await this.sessionIn(upFrom(path, 3), path, known);
    else yield* this.findInDatabase(path, known);
  }

  private async sessionIn(storage: string, path: string, known: ReadonlySet<string>): Promise<Found> {
    const place = { path, unit: 'file', number: 1 } as const;
    const id = basename(path, '.json');
    if (known.has(id)) {
      const reason = t('The session is in the database, too.');
      return { kind: 'skipped', skipped: { place, kind: 'repeated', reason } };
    }
    const value = await jsonFile(this.files, path);
    if (value === null) return { kind: 'skipped', skipped: { place, kind: 'damaged', reason: unreadable() } };
    const session = sessionOfFile(value, id, { path, key: null });
    const title = isPlaceholder(session.title)
      ? await firstPrompt(new FileStorage(this.files, storage, id))
      : session.title;
    return { kind: 'session', session: { ...session, title: title ?? session.title } };
  }
}

/** The folder `levels` above a file. */
function upFrom(path: string, levels: number): string {
  return path.split('/').slice(0, -levels).join('/');
}

function revertOf(database: ForeignDatabase, sessionId: string): JsonObject | null {
  if (!columnsOf(database, 'session').has('revert')) return null;
  const [row] = [...database.iterate('SELECT revert FROM session WHERE id = ?', [sessionId])];
  const read = parseJsonObject(row === undefined ? '' : (rowText(row, 'revert') ?? ''));
  return read.kind === 'object' ? read.value : null;
}

function restUnreadable(error: unknown): string {
  return t('The database, or the rest of it, can’t be read ({reason}).', {
    reason: errorMessage(error).replace(/\.$/, ''),
  });
}
