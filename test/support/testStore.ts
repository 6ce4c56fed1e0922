import type { FileSystem } from '../../src/store/engine/fileSystem';
import type { SqlJsDatabase } from '../../src/store/engine/sqlJsDatabase';
import type { Sqlite } from '../../src/store/engine/sqlite';
import type { OpenDatabaseOptions, OpenedDatabase } from '../../src/store/open/openDatabase';
import { openDatabase } from '../../src/store/open/openDatabase';

/** The time of every test store that asks for none: 2026-11-20T08:00:00Z, in seconds. */
export const testTime = 1_795_161_600;

/** Opens a store's database the way the product does, as an owner nobody disputes. */
export function openTestDatabase(
  sqlite: Sqlite,
  fileSystem: FileSystem,
  folder: string,
  options: Partial<OpenDatabaseOptions> = {},
): OpenedDatabase {
  return openDatabase({
    sqlite,
    fileSystem,
    folder,
    schemaVersion: 1,
    now: () => testTime,
    ...options,
  });
}

/** A table of numbered texts, the smallest thing that behaves like messages: `id`, `text`, and `uid` with an index. */
export const noteTable = `
  CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
  CREATE TABLE marks (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = 1;`;

/** Adds notes `from` up to, not including, `to`, one durable transaction each unless told otherwise. */
export function addNotes(
  database: SqlJsDatabase,
  from: number,
  to: number,
  text: (n: number) => string = noteText,
): void {
  for (let n = from; n < to; n += 1) {
    database.transaction(() => database.run('INSERT INTO notes (uid, text) VALUES (?, ?)', [`note-${n}`, text(n)]));
  }
}

/** The same in one transaction. */
export function addNotesAtOnce(database: SqlJsDatabase, from: number, to: number): void {
  database.transaction(() => {
    for (let n = from; n < to; n += 1)
      database.run('INSERT INTO notes (uid, text) VALUES (?, ?)', [`note-${n}`, noteText(n)]);
  });
}

export function noteText(n: number): string {
  return `Note ${n}. `.repeat(40);
}

export function noteUids(database: SqlJsDatabase): readonly string[] {
  return database.all('SELECT uid FROM notes ORDER BY id').map((row) => String(row['uid']));
}
