import { beforeEach, describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import type { DiskOperation } from '../../../support/simulatedDisk';
import type { SqlJsDatabase } from '../../../../src/store/engine/sqlJsDatabase';
import { StoreError } from '../../../../src/store/storeError';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

let disk: SimulatedDisk;
let database: SqlJsDatabase;
/** What the disk answers from now on. */
let answer: (operation: DiskOperation) => string | { readonly errno: string; readonly written: number } | undefined;
let assertOwned: () => void;

async function reopen(): Promise<void> {
  const sqlite = await testSqlite();
  database = openTestDatabase(sqlite, disk, '/store', { assertOwned: () => assertOwned() }).database;
}

beforeEach(async () => {
  answer = () => undefined;
  assertOwned = () => undefined;
  disk = new SimulatedDisk({ intervene: (operation) => answer(operation) });
  await reopen();
  database.execute(noteTable);
  return () => database.abandon();
});

const causing = (causeClass: string): unknown => expect.objectContaining({ name: 'StoreError', causeClass });
const hexOf = (text: string): unknown => {
  database.run('INSERT OR REPLACE INTO marks VALUES (?, ?)', ['text', text]);
  return database.get("SELECT hex(value) AS hex, value FROM marks WHERE key = 'text'");
};

describe('values', () => {
  test('texts are read back exactly as written', () => {
    const texts = [
      '',
      'plain',
      'Grüße',
      '東京都庁',
      '👩‍👩‍👧',
      'line\nbreak',
      'nul\u0000inside',
      "quote's",
      'x'.repeat(100_000),
    ];
    database.transaction(() =>
      texts.forEach((text, index) => database.run('INSERT INTO notes (uid, text) VALUES (?, ?)', [`t${index}`, text])),
    );
    expect(database.all('SELECT text FROM notes ORDER BY id').map((row) => row['text'])).toEqual(texts);
  });

  test('a lone surrogate becomes one replacement character, a pair stays', () => {
    expect([hexOf('a\uD83Db'), hexOf('\uDE00'), hexOf('\uD83D\uDE00')]).toEqual([
      { hex: '61EFBFBD62', value: 'a\uFFFDb' },
      { hex: 'EFBFBD', value: '\uFFFD' },
      { hex: 'F09F9880', value: '😀' },
    ]);
  });

  test('a value that would lose digits is not written, and does not hide the row where it is found', () => {
    expect(() => database.run('INSERT INTO marks VALUES (?, ?)', ['k', 2 ** 53])).toThrow(causing('invalid'));
    expect(() => database.run('INSERT INTO marks VALUES (?, ?)', ['k', Number.NaN])).toThrow(causing('invalid'));
    expect(database.get("SELECT 9223372036854775807 AS n, 9e999 AS m, 'else' AS t")).toEqual({
      n: 2 ** 63,
      m: Number.POSITIVE_INFINITY,
      t: 'else',
    });
    expect(database.get('SELECT 9007199254740993.0 AS n')).toEqual({ n: 9007199254740992 });
  });
});

describe('statements', () => {
  test('the same text may run inside its own iteration, and an abandoned iteration leaves nothing open', () => {
    addNotes(database, 0, 5);
    const sql = 'SELECT id FROM notes ORDER BY id';
    const pairs: string[] = [];
    for (const outer of database.iterate(sql)) {
      for (const inner of database.iterate(sql)) {
        pairs.push(`${outer['id']}-${inner['id']}`);
        if (inner['id'] === 2) break;
      }
    }
    expect(pairs).toHaveLength(10);
    database.execute('DROP TABLE notes');
  });

  test('a violated constraint or an invalid statement is a typed error that names the statement', () => {
    addNotes(database, 0, 1);
    expect(() => addNotes(database, 0, 1)).toThrow(causing('invalid'));
    expect(() => database.run('SELEKT')).toThrow(
      expect.objectContaining({ causeClass: 'unknown', technical: expect.stringContaining('in: SELEKT') }),
    );
    expect(noteUids(database)).toEqual(['note-0']);
  });

  test('a request that needs too much memory fails cleanly and leaves the store usable', () => {
    database.execute('PRAGMA hard_heap_limit = 60000000');
    expect(() =>
      database.get(
        'SELECT length(group_concat(hex(zeroblob(900000)))) AS n FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x < 200) SELECT x FROM c)',
      ),
    ).toThrow(StoreError);
    database.execute('PRAGMA hard_heap_limit = 536870912');
    addNotes(database, 0, 3);
    expect(noteUids(database)).toHaveLength(3);
  });
});

describe('transactions', () => {
  test('are rolled back completely when the work throws, also after a refused statement', () => {
    expect(() =>
      database.transaction(() => {
        database.run("INSERT INTO notes (uid, text) VALUES ('a', 'x')");
        throw new RangeError('mine');
      }),
    ).toThrow(RangeError);
    expect(noteUids(database)).toEqual([]);
    addNotes(database, 0, 1);
    expect(noteUids(database)).toEqual(['note-0']);
  });

  test('do not nest, do not wait, and a read transaction joins the running one', () => {
    expect(() => database.transaction(() => database.transaction(() => 1))).toThrow(causing('invalid'));
    expect(() => database.transaction(() => Promise.resolve(1))).toThrow(causing('invalid'));
    expect(database.transaction(() => database.readTransaction(() => database.get('SELECT 1 AS n')))).toEqual({ n: 1 });
    expect(database.readTransaction(() => 2)).toBe(2);
  });

  test('a process that lost the store writes nothing and acknowledges nothing', () => {
    addNotes(database, 0, 1);
    let checks = 0;
    const replaced = new StoreError('replaced', 'gone', 'test');
    // Lost while the transaction runs: the check before its commit finds out.
    assertOwned = () => {
      checks += 1;
      if (checks > 1) throw replaced;
    };
    expect(() => addNotes(database, 1, 2)).toThrow(replaced);
    assertOwned = () => {
      throw replaced;
    };
    expect(() => database.run("INSERT INTO notes (uid, text) VALUES ('b', 'x')")).toThrow(replaced);
    expect(() => database.execute('DELETE FROM notes')).toThrow(replaced);
    expect(() => database.all('PRAGMA wal_checkpoint(TRUNCATE)')).toThrow(replaced);
    expect(() => database.get("INSERT INTO notes (uid, text) VALUES ('c', 'x') RETURNING id")).toThrow(replaced);
    expect(() => database.readTransaction(() => 1)).toThrow(replaced);
    expect(noteUids(database)).toEqual(['note-0']);
  });

  test('a store lost between commit and acknowledgement keeps the commit but does not acknowledge it', () => {
    let checks = 0;
    assertOwned = () => {
      checks += 1;
      if (checks > 2) throw new StoreError('replaced', 'gone', 'test');
    };
    expect(() => addNotes(database, 0, 1)).toThrow(causing('replaced'));
    expect(noteUids(database)).toEqual(['note-0']);
  });

  test('apparent damage caused by another process writing is reported as that, not as damage', async () => {
    addNotes(database, 0, 400, (n) => `${n}`.repeat(1000));
    database.close();
    await reopen();
    database.get('SELECT 1 FROM notes');
    const file = disk.open('/store/state.db', 'write');
    for (let page = 4; page < file.size() / 4096; page += 1) file.write(new Uint8Array(4096).fill(0xa5), page * 4096);
    expect(() => database.all('SELECT text FROM notes')).toThrow(causing('corrupt'));
    assertOwned = () => {
      throw new StoreError('replaced', 'gone', 'test');
    };
    expect(() => database.all('SELECT text FROM notes')).toThrow(causing('replaced'));
  });

  test('closing a store that another process owns by now leaves the files unchanged', () => {
    addNotes(database, 0, 10);
    const files = ['/store/state.db', '/store/state.db.wal'];
    const before = files.map((path) => disk.bytesOf(path));
    assertOwned = () => {
      throw new StoreError('replaced', 'gone', 'test');
    };
    database.close();
    expect(files.map((path, index) => Buffer.compare(disk.bytesOf(path), before[index] ?? new Uint8Array()))).toEqual([
      0, 0,
    ]);
  });
});

describe('a failing disk', () => {
  test("a failed write has an unknown outcome with the disk's reason, and earlier rows stay", () => {
    addNotes(database, 0, 3);
    answer = ({ kind }) => (kind === 'write' ? { errno: 'EIO', written: 100 } : undefined);
    expect(() => addNotes(database, 3, 4)).toThrow(
      expect.objectContaining({
        causeClass: 'unknown',
        technical: expect.stringContaining('EIO: write /store/state.db.wal'),
      }),
    );
    answer = () => undefined;
    expect(noteUids(database)).toHaveLength(3);
  });

  test('after a failed sync the store writes nothing until it is reopened, as the system may have dropped the pages', async () => {
    addNotes(database, 0, 3);
    answer = ({ kind }) => (kind === 'sync' ? 'EIO' : undefined);
    expect(() => addNotes(database, 3, 4)).toThrow(causing('unknown'));
    answer = () => undefined;
    const log = disk.bytesOf('/store/state.db.wal');
    expect(() => addNotes(database, 4, 5)).toThrow(
      expect.objectContaining({ technical: expect.stringContaining('EIO: sync') }),
    );
    expect(Buffer.compare(disk.bytesOf('/store/state.db.wal'), log)).toBe(0);
    database.abandon();
    await reopen();
    expect(noteUids(database).slice(0, 3)).toEqual(['note-0', 'note-1', 'note-2']);
    addNotes(database, 10, 11);
  });

  test('random write errors over hundreds of transactions lose nothing acknowledged', async () => {
    let state = 7;
    const random = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648;
    };
    const acknowledged = new Set<string>();
    for (let n = 0; n < 300; n += 1) {
      answer = ({ kind, bytes = 0 }) => {
        if (kind === 'write' && random() < 0.02)
          return { errno: random() < 0.5 ? 'EIO' : 'ENOSPC', written: Math.floor(bytes * random()) };
        return kind === 'sync' && random() < 0.005 ? 'EIO' : undefined;
      };
      try {
        addNotes(database, n, n + 1);
        acknowledged.add(`note-${n}`);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (!error.technical.includes('sync')) continue;
        answer = () => undefined;
        database.abandon();
        await reopen();
      }
    }
    answer = () => undefined;
    database.abandon();
    await reopen();
    const stored = new Set(noteUids(database));
    expect({
      lost: [...acknowledged].filter((uid) => !stored.has(uid)),
      integrity: database.all('PRAGMA integrity_check'),
      tried: acknowledged.size < 300 && acknowledged.size > 200,
    }).toEqual({ lost: [], integrity: [{ integrity_check: 'ok' }], tried: true });
  });
});
