import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkHermes } from '../../../../src/features/history/core/check/hermesCheck';
import { nodeReadingDeps } from '../../../../src/store/library/nodeReading';
import { ChosenFiles } from '../../../../src/features/history/core/import/sessionSources';
import { hermesSource } from '../../../../src/features/history/core/sources/hermes/hermesSource';
import { NodeHistoryFiles } from '../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { openForeignDatabase, readInThread } from '../../../../src/store/library/foreignDatabase';
import { withEndlessTree } from '../../../support/endlessTree';
import { otherSqlite } from '../../../support/otherSqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';

let built: BuiltStoreWorker;
let home = '';
const path = (): string => join(home, 'state.db');
const copies = (): string => join(home, 'copies');
beforeAll(async () => {
  built = await buildStoreWorker({ foreignWorker: 'src/store/library/foreignWorker.ts' });
});
afterAll(() => built.remove());
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'hermes-hostile-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** As the product opens it, with a limit of this many milliseconds for a statement. */
async function opened(limitMs?: number) {
  const deps = await nodeReadingDeps(join(built.folder, 'sql-wasm.wasm'), copies());
  const readForeign = (folder: string) => readInThread(join(built.folder, 'foreignWorker.js'), folder, limitMs);
  return openForeignDatabase({ ...deps, readForeign }, path());
}

const files = new NodeHistoryFiles();
const reason = async (limitMs?: number): Promise<readonly string[]> => {
  const source = hermesSource(files, () => opened(limitMs));
  const found: string[] = [];
  for await (const one of new ChosenFiles(
    files,
    () => opened(limitMs),
    () => source,
  ).find([path()])) {
    if (one.kind === 'skipped') found.push(one.skipped.reason);
    else
      for await (const event of source.read(one.session))
        if (event.kind === 'skipped') found.push(event.skipped.reason);
  }
  return found;
};

const endless = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i FROM n)';
const sessions =
  "CREATE TABLE sessions (id TEXT, started_at REAL, title TEXT); INSERT INTO sessions VALUES ('s', 1, 't')";
const columns = 'id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL';
const messages = `CREATE TABLE messages (${columns}); INSERT INTO messages VALUES (1, 's', 'user', 'hello', 1)`;
const row = "i AS id, 's' AS session_id, 'user' AS role, 'x' AS content, 1 AS timestamp";
const computed = (name: string): string =>
  `The database, or the rest of it, can’t be read (${name} is computed, not stored, so it is not read).`;

describe('a database that somebody else made', () => {
  it.each<readonly [string, string, ...string[]]>([
    ['messages as an endless view', 'messages', sessions, `CREATE VIEW messages AS ${endless} SELECT ${row} FROM n`],
    [
      'a view in capitals and quotes',
      'messages',
      sessions,
      `CREATE VIEW "MESSAGES" AS ${endless} SELECT ${row} FROM n`,
    ],
    [
      'a view that only repeats a table',
      'messages',
      sessions,
      messages.replaceAll('messages', 'm'),
      'CREATE VIEW messages AS SELECT * FROM m',
    ],
    [
      'sessions as an endless view',
      'sessions',
      messages,
      `CREATE VIEW sessions AS ${endless} SELECT 's' AS id, 1 AS started_at FROM n`,
    ],
    [
      'the version of the schema as an endless view',
      'schema_version',
      sessions,
      messages,
      `CREATE VIEW schema_version AS ${endless} SELECT i AS version FROM n`,
    ],
    [
      'a computed column',
      'messages',
      sessions,
      `CREATE TABLE messages (${columns}, tool_name TEXT AS (hex(zeroblob(100000000))) VIRTUAL)`,
    ],
    [
      'a computed and stored column',
      'messages',
      sessions,
      `CREATE TABLE messages (${columns}, tool_name TEXT AS (content || content) STORED)`,
    ],
    [
      'a full-text table',
      'messages',
      sessions,
      'CREATE VIRTUAL TABLE messages USING fts5(id, session_id, role, content)',
    ],
  ])('is refused with a sentence for %s', async (_what, name, ...statements) => {
    otherSqlite(path(), statements.join(';'));
    const found = await reason();
    expect([found, readdirSync(copies())]).toEqual([[expect.stringContaining(computed(name).slice(0, 60))], []]);
  });

  it.each([
    ['calls a view a table', "type = 'table'"],
    ['gives a view another name', "name = 'harmless', tbl_name = 'harmless'"],
  ])('is refused when its schema %s', async (_what, lie) => {
    otherSqlite(path(), [sessions, `CREATE VIEW messages AS ${endless} SELECT ${row} FROM n`].join(';'));
    otherSqlite(path(), `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${lie} WHERE name = 'messages'`);
    expect(await reason()).toEqual([expect.stringContaining('malformed database schema')]);
  });

  it('is read without what its triggers would do, and without its other views', async () => {
    otherSqlite(
      path(),
      [sessions, messages, `CREATE VIEW other AS ${endless} SELECT * FROM n`, 'CREATE TABLE log (a)'].join(';'),
    );
    const trigger =
      "'CREATE TRIGGER t AFTER UPDATE ON messages BEGIN INSERT INTO log VALUES (1)' || char(59) || ' END'";
    otherSqlite(
      path(),
      `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 't', 'messages', 0, ${trigger})`,
    );
    const database = await opened();
    const rows = [...database.iterate('SELECT content FROM messages')];
    database.close();
    expect([rows, await reason(), readdirSync(copies())]).toEqual([[{ content: 'hello' }], [], []]);
  });

  it.each([
    `${endless} SELECT i AS id FROM n`,
    'SELECT m.id FROM messages m JOIN sessions s ON s.id = m.session_id JOIN sessions x',
    'SELECT m.id FROM messages m, messages n, messages o',
    'SELECT m.id FROM messages m WHERE EXISTS (SELECT 1 FROM messages, sessions)',
    'SELECT (SELECT count(*) FROM messages) AS id FROM messages m',
    'SELECT m.id FROM messages m UNION ALL SELECT 1',
    'SELECT id FROM other m',
  ])('has no index checked by a view such as %s', async (view) => {
    const index = 'CREATE TABLE messages_fts_docsize (id INTEGER PRIMARY KEY, sz BLOB); CREATE TABLE other (id)';
    otherSqlite(path(), [sessions, messages, index, `CREATE VIEW messages_fts_src AS ${view}`].join(';'));
    const database = await opened();
    await expect(checkHermes(database, path())).rejects.toThrow('messages_fts_src is computed');
    database.close();
  });

  it('gives the first million rows of a statement, and then a sentence', async () => {
    const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000001)';
    otherSqlite(
      path(),
      `${messages}; CREATE TABLE rows (id INTEGER PRIMARY KEY); INSERT INTO rows ${many} SELECT i FROM n`,
    );
    const database = await opened();
    let count = 0;
    const read = (): void => {
      for (const _row of database.iterate('SELECT id FROM rows')) count++;
    };
    expect(read).toThrow('It has more rows than can be read.');
    expect([count > 999_000, count <= 1_000_000, [...database.iterate('SELECT id FROM messages')]]).toEqual([
      true,
      true,
      [{ id: 1 }],
    ]);
    database.close();
  });

  it('is left when SQLite does not come to an end, and its thread is ended', async () => {
    otherSqlite(path(), `PRAGMA page_size = 4096; ${messages}`);
    withEndlessTree(path());
    const database = await opened(1500);
    const read = (): unknown => [...database.iterate("SELECT id FROM messages WHERE session_id = 'other'")];
    expect(read).toThrow('Reading it takes too long.');
    // The thread is gone: another statement is refused at once.
    expect(() => [...database.iterate('SELECT 1 AS n')]).toThrow('Reading it takes too long.');
    database.close();
    expect(readdirSync(copies())).toEqual([]);
  });

  it('gives statements that are read side by side their own rows, and ends one that is left early', async () => {
    const many = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)';
    otherSqlite(path(), `CREATE TABLE rows (id INTEGER PRIMARY KEY); INSERT INTO rows ${many} SELECT i FROM n`);
    const database = await opened();
    let sum = 0;
    for (const { id } of database.iterate('SELECT id FROM rows ORDER BY id')) {
      const [next] = database.iterate('SELECT id FROM rows WHERE id > ? ORDER BY id', [id ?? null]);
      sum += Number(next?.['id'] ?? 0) - Number(id);
    }
    database.close();
    expect(sum).toBe(1999 - 2000);
  });

  it('is refused by its size before it is copied', async () => {
    otherSqlite(path(), messages);
    truncateSync(path(), 40 * 2 ** 30);
    await expect(opened()).rejects.toThrow(`${path()} is too large to be read (more than 16 GB).`);
    writeFileSync(`${path()}-wal`, '');
    truncateSync(path(), 4096);
    truncateSync(`${path()}-wal`, 40 * 2 ** 30);
    await expect(opened()).rejects.toThrow('too large');
    expect([readdirSync(copies()), statSync(path()).size]).toEqual([[], 4096]);
  });
});
