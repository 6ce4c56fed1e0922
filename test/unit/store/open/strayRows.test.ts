import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import type { SqlValue } from '../../../../src/store/engine/sqlDatabase';
import { PageFile } from '../../../../src/store/open/damagedCopy';
import { StrayRows } from '../../../../src/store/open/damagedCopy';
import { TableShape } from '../../../../src/store/open/tableShape';
import { recordsIn, type StoredRecord } from '../../../../src/store/open/treeLeaf';
import { otherSqlite } from '../../../support/otherSqlite';
import { testSqlite } from '../../../support/sqlite';
import { addNotesAtOnce, noteTable, noteText, openTestDatabase } from '../../../support/testStore';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-stray-'));
  file = join(folder, 'state.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Every row of every page, whatever table it is of. */
function allRecords(path = file): readonly StoredRecord[] {
  const pages = new PageFile(new NodeFileSystem(), path);
  const numbers = Array.from({ length: pages.pages }, (_, index) => index + 1);
  const records = numbers.flatMap((page) =>
    recordsIn(pages.read(page) ?? new Uint8Array(8), page, (next) => pages.read(next)),
  );
  pages.close();
  return records;
}

/** As SQLite's own `quote` writes a value. */
function quoted(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex').toUpperCase()}'`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

const lines = (records: readonly StoredRecord[]): readonly string[] =>
  records.map(({ rowNumber, values }) => [rowNumber, ...values.slice(1).map(quoted)].join('|')).sort();

describe('the rows in the pages of a file that another SQLite wrote', () => {
  const values = `
    CREATE TABLE things (id INTEGER PRIMARY KEY, a, b, c, d);
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO things SELECT i * 1000003 - 9000, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN i WHEN 2 THEN -(1 << (i % 50)) WHEN 3 THEN i + 0.5 ELSE 1 << (i % 52) END,
        'ä€😀' || substr(hex(zeroblob(i * i / 6)), 1, (i * 37) % 15000), zeroblob((i * 91) % 9000), i % 2 FROM n;
    DELETE FROM things WHERE id % 7 = 3`;

  it.each([512, 1024, 4096, 65_536])('are all read, of every kind and length, in pages of %i bytes', (size) => {
    otherSqlite(file, `PRAGMA page_size = ${size}; PRAGMA secure_delete = ON; ${values}`);
    const expected = otherSqlite(file, 'SELECT id, quote(a), quote(b), quote(c), quote(d) FROM things');
    const things = allRecords().filter((record) => record.values.length === 5 && record.values[0] === null);
    expect({
      whole: things.every(({ isWhole }) => isWhole),
      count: expected.length > 200,
      lines: lines(things),
    }).toEqual({ whole: true, count: true, lines: [...expected].sort() });
  });

  it('are also read from tables without row numbers, inner pages included', () => {
    const rows = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO pairs SELECT 'key ' || i, i % 3, substr(hex(zeroblob(2000)), 1, (i * 13) % 3000) FROM n`;
    otherSqlite(
      file,
      `CREATE TABLE pairs (value TEXT, n INTEGER, name TEXT, PRIMARY KEY (name, value)) WITHOUT ROWID; ${rows}`,
    );
    const expected = otherSqlite(file, 'SELECT quote(name), quote(value), n FROM pairs');
    const pairs = allRecords().filter(({ rowNumber }) => rowNumber === null);
    expect(pairs.map(({ values: found }) => found.map(quoted).join('|')).sort()).toEqual([...expected].sort());
  });

  it('keep their beginning when their overflow pages are gone', () => {
    otherSqlite(
      file,
      "CREATE TABLE texts (id INTEGER PRIMARY KEY, name TEXT, text TEXT, after TEXT); INSERT INTO texts VALUES (7, 'long', replace(hex(zeroblob(10000)), '00', 'word '), 'end')",
    );
    writeFileSync(file, readFileSync(file).subarray(0, 3 * 4096));
    const [record] = allRecords().filter(({ rowNumber }) => rowNumber === 7);
    const text = String(record?.values[2]);
    expect({
      isWhole: record?.isWhole,
      name: record?.values[1],
      columns: record?.values.length,
      pages: text.length > 4096,
      words: 'word '.repeat(10_000).startsWith(text),
    }).toEqual({
      isWhole: false,
      name: 'long',
      columns: 3,
      pages: true,
      words: true,
    });
  });

  it('never exceed what the file can hold and never raise an error, whatever its bytes are', () => {
    otherSqlite(file, values);
    const sound = readFileSync(file);
    let random = 1;
    const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(sound);
      for (let hit = 0; hit < 400; hit++) bytes[next(bytes.length)] = next(256);
      const page = next(sound.length / 4096) + 1;
      const at = (number: number): Uint8Array | undefined =>
        number * 4096 <= bytes.length ? bytes.subarray((number - 1) * 4096, number * 4096) : undefined;
      const found = recordsIn(at(page) ?? new Uint8Array(4096), page, at);
      expect(found.length).toBeLessThan(1366);
    }
  });
});

describe('the rows of a store whose trees are lost', () => {
  /** A store of 200 notes, 150 in the file and the rest in the log. */
  async function store(): Promise<readonly TableShape[]> {
    const { database } = openTestDatabase(await testSqlite(), new NodeFileSystem(), folder);
    database.execute(noteTable);
    database.transaction(() => database.run("INSERT INTO marks VALUES ('mark', 'kept')"));
    addNotesAtOnce(database, 0, 150);
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    addNotesAtOnce(database, 150, 200);
    database.transaction(() => database.run("UPDATE notes SET text = 'rewritten' WHERE id = 10"));
    database.transaction(() => database.run('DELETE FROM notes WHERE id > 190'));
    const shapes = TableShape.all(database);
    database.abandon();
    return shapes;
  }

  it('are told apart by their shape, with the content that the log held last', async () => {
    const shapes = await store();
    const pages = new PageFile(new NodeFileSystem(), file);
    const stray = new StrayRows(pages, shapes);
    const notes = [...stray.rows('notes')];
    const marks = [...stray.rows('marks')];
    pages.close();
    const texts = new Map(notes.map((row) => [row['id'], row['text']]));
    expect({
      ids: [...texts.keys()].map(Number).sort((a, b) => a - b),
      tenth: texts.get(10),
      ninth: texts.get(9),
      uid: notes[0]?.['uid'] !== undefined,
      marks,
    }).toEqual({
      ids: Array.from({ length: 190 }, (_, index) => index + 1),
      tenth: 'rewritten',
      ninth: noteText(8),
      uid: true,
      marks: [{ key: 'mark', value: 'kept' }],
    });
  });
});
