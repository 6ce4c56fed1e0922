import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import type { Sqlite } from '../../../../src/store/engine/sqlite';
import type { OpenDatabaseOptions, OpenedDatabase } from '../../../../src/store/open/openDatabase';
import { StoreError } from '../../../../src/store/storeError';
import { otherSqlite } from '../../../support/otherSqlite';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, addNotesAtOnce, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

let sqlite: Sqlite;
let folder: string;
let main: string;
let log: string;

beforeAll(async () => {
  sqlite = await testSqlite();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-open-'));
  main = join(folder, 'state.db');
  log = `${main}.wal`;
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(options: Partial<OpenDatabaseOptions> = {}): OpenedDatabase {
  return openTestDatabase(sqlite, new NodeFileSystem(), folder, options);
}

/** Leaves a store with so many notes, closed in order. */
function storeWithNotes(count: number): void {
  const { database } = open();
  database.execute(noteTable);
  addNotesAtOnce(database, 0, count);
  database.close();
}

/** Leaves a store as a killed process does: what was committed since the last checkpoint is in the log only. */
function killedStoreWithNotes(inFile: number, inLog: number): void {
  const { database } = open();
  database.execute(noteTable);
  addNotesAtOnce(database, 0, inFile);
  database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  addNotesAtOnce(database, inFile, inFile + inLog);
  database.abandon();
}

/** What the person is left with: the file names, and how the opening described itself. */
function refusal(work: () => OpenedDatabase): StoreError {
  try {
    work().database.close();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('it opened');
}

function foreignDatabase(statements: string): void {
  otherSqlite(main, statements);
}

describe('a place without a store', () => {
  test('gets a new store, private to the user, with the settings that durability depends on', () => {
    folder = join(folder, 'not', 'yet', 'there');
    main = join(folder, 'state.db');
    const { database, report } = open();
    const pragma = (name: string): unknown => Object.values(database.get(`PRAGMA ${name}`) ?? {})[0];
    expect({
      report,
      settings: [
        'locking_mode',
        'journal_mode',
        'synchronous',
        'foreign_keys',
        'cache_size',
        'temp_store',
        'hard_heap_limit',
        'journal_size_limit',
      ].map(pragma),
      modes: [folder, main].map((path) => statSync(path).mode & 0o777),
    }).toEqual({
      report: { path: main, created: true, userVersion: 0, readOnly: null, quarantined: null, putBack: null },
      settings: ['exclusive', 'wal', 2, 1, -32_768, 2, 512 * 1024 * 1024, 16 * 1024 * 1024],
      modes: [0o700, 0o600],
    });
    database.execute(noteTable);
    expect(statSync(`${main}.wal`).mode & 0o777).toBe(0o600);
    database.close();
    expect(readdirSync(folder)).toEqual(['state.db']);
  });

  test('an empty file is not a store: it is set aside, and the report names it', () => {
    writeFileSync(main, '');
    const { database, report, damagedCopies } = open();
    expect(report).toMatchObject({
      created: true,
      quarantined: { path: join(folder, 'state.damaged-20261120T080000000Z.db'), damage: 'empty' },
    });
    expect(damagedCopies[0]?.salvage((rows) => [...rows.rows('notes')]).result).toEqual([]);
    database.close();
  });

  test('a store whose creation was cut off by a crash is created again', () => {
    writeFileSync(`${main}.new`, 'half');
    open().database.close();
    expect(readdirSync(folder)).toEqual(['state.db']);
  });
});

describe('one of our stores', () => {
  test('opens with everything in it, after an orderly close and after a kill', () => {
    killedStoreWithNotes(20, 30);
    expect(statSync(log).size).toBeGreaterThan(0);
    const first = open();
    expect(first.report).toEqual({
      path: main,
      created: false,
      userVersion: 1,
      readOnly: null,
      quarantined: null,
      putBack: null,
    });
    expect(noteUids(first.database)).toHaveLength(50);
    first.database.close();
    const second = open();
    expect(noteUids(second.database)).toHaveLength(50);
    second.database.close();
  });

  test('is readable by any other SQLite: the last checkpoint at once, the rest once the log has its usual form and name', () => {
    killedStoreWithNotes(20, 30);
    const copy = join(folder, 'copy.db');
    copyFileSync(main, copy);
    const query = 'SELECT count(*) FROM notes; PRAGMA integrity_check;';
    expect(otherSqlite(copy, query)).toEqual(['20', 'ok']);
    copyFileSync(log, `${copy}-wal`);
    // The header says "no log" so that others keep away from a live one; whoever adds the log says otherwise.
    const bytes = readFileSync(copy);
    expect([bytes[18], bytes[19]]).toEqual([1, 1]);
    expect(otherSqlite(copy, query)).toEqual(['50', 'ok']);
  });
});

describe('a file that does not belong to us', () => {
  const foreign = 'PRAGMA journal_mode=DELETE; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);';
  const cases: readonly (readonly [name: string, make: () => void, expected: object])[] = [
    [
      "another program's database",
      () => foreignDatabase(foreign),
      { causeClass: 'unknown', message: expect.stringContaining('belongs to another program') },
    ],
    [
      "another program's database with an application id",
      () => foreignDatabase(`PRAGMA application_id=7; ${foreign}`),
      { causeClass: 'unknown', message: expect.stringContaining('hermes.storage.path') },
    ],
    [
      "a newer version's store",
      () => {
        const { database } = open();
        database.execute('PRAGMA user_version = 10');
        database.close();
      },
      { causeClass: 'newer', message: expect.stringContaining('Update the extension') },
    ],
  ];
  test.each(cases)('%s is refused and left byte for byte', (_name, make, expected) => {
    make();
    const before = readFileSync(main);
    expect(refusal(open)).toMatchObject(expected);
    expect({ same: readFileSync(main).equals(before), names: readdirSync(folder) }).toEqual({
      same: true,
      names: ['state.db'],
    });
  });

  test('a newer version that is only in the log is refused, log included', () => {
    const { database } = open();
    database.execute(noteTable);
    database.execute('PRAGMA user_version = 10');
    database.abandon();
    const before = [main, log].map((path) => readFileSync(path));
    expect(refusal(open)).toMatchObject({ causeClass: 'newer' });
    expect([main, log].map((path, index) => before[index]?.equals(readFileSync(path)))).toEqual([true, true]);
  });
});

describe('a damaged file is set aside, kept and replaced, and its readable rows are offered', () => {
  /** Damages a store of 500 notes and opens it. */
  function afterDamage(damage: () => void): OpenedDatabase {
    storeWithNotes(500);
    damage();
    return open();
  }

  /** Reads the damaged copy the way the product does and says how it went. */
  function salvage(opened: OpenedDatabase): { readonly uids: ReadonlySet<string>; readonly complete: boolean } {
    opened.database.execute(noteTable);
    const [copy] = opened.damagedCopies;
    if (copy === undefined) throw new Error('nothing was offered');
    const { result, isComplete } = copy.salvage(
      (rows) => new Set([...rows.rows('notes')].map((row) => String(row['uid']))),
    );
    return { uids: result, complete: isComplete };
  }

  function overwrite(from: number, bytes: Buffer): void {
    const content = readFileSync(main);
    bytes.copy(content, from);
    writeFileSync(main, content);
  }

  const noise = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, (_, index) => (index * 7919 + 13) % 251));

  const cases: readonly (readonly [name: string, damage: () => void, kind: string, least: number])[] = [
    ['random bytes', () => writeFileSync(main, noise(5000)), 'not-sqlite', 0],
    ['a text', () => writeFileSync(main, 'hello'), 'not-sqlite', 0],
    ['a zeroed first page', () => overwrite(0, Buffer.alloc(4096)), 'not-sqlite', 500],
    ['noise in the header', () => overwrite(16, noise(8)), 'header', 500],
    ['a file cut in half', () => truncateSync(main, 4096 * Math.floor(statSync(main).size / 8192)), 'truncated', 200],
    ['a file cut within a page', () => truncateSync(main, statSync(main).size - 1000), 'truncated', 480],
  ];
  test.each(cases)('%s', (_name, damage, kind, least) => {
    const opened = afterDamage(damage);
    const damagedBytes = readFileSync(join(folder, 'state.damaged-20261120T080000000Z.db'));
    expect(opened.report).toEqual({
      path: main,
      created: true,
      userVersion: 0,
      readOnly: null,
      putBack: null,
      quarantined: { path: join(folder, 'state.damaged-20261120T080000000Z.db'), damage: kind },
    });
    const { uids } = salvage(opened);
    expect(uids.size).toBeGreaterThanOrEqual(least);
    opened.damagedCopies[0]?.finish();
    opened.database.close();
    expect(readdirSync(folder).sort()).toEqual(['state.corrupt-20261120T080000000Z.db', 'state.db']);
    expect(readFileSync(join(folder, 'state.corrupt-20261120T080000000Z.db')).equals(damagedBytes)).toBe(true);
  });

  test('broken pages in the middle, found during use, lose only their own rows', () => {
    storeWithNotes(500);
    const pages = statSync(main).size / 4096;
    for (const page of [12, 20, 21, 40]) overwrite(page * 4096, noise(4096));
    const broken = open();
    expect(() => broken.database.all('SELECT text FROM notes')).toThrow(
      expect.objectContaining({ causeClass: 'corrupt' }),
    );
    broken.database.abandon();
    const opened = open({ knownDamaged: true });
    const { uids, complete } = salvage(opened);
    expect(opened.report.quarantined?.damage).toBe('content');
    expect({ complete, pages: pages > 50, uids: uids.size > 440 && uids.size < 500 }).toEqual({
      complete: false,
      pages: true,
      uids: true,
    });
    opened.database.close();
  });

  test('a damaged file whose log holds rows has rows salvaged from both', () => {
    killedStoreWithNotes(100, 50);
    overwrite(0, Buffer.alloc(4096));
    const opened = open();
    expect([opened.report.quarantined?.damage, existsSync(log)]).toEqual(['not-sqlite', true]);
    expect(salvage(opened).uids.size).toBe(150);
    opened.damagedCopies[0]?.finish();
    opened.database.close();
    expect(readdirSync(folder).sort()).toEqual([
      'state.corrupt-20261120T080000000Z.db',
      'state.corrupt-20261120T080000000Z.db.wal',
      'state.db',
    ]);
  });

  test.each([
    ['empty', () => writeFileSync(main, '')],
    ['missing', () => rmSync(main)],
  ])('%s: a main file next to a log that holds rows: SQLite alone would delete the log', (_name, damage) => {
    killedStoreWithNotes(0, 60);
    damage();
    const opened = open();
    expect(opened.report.quarantined?.damage).toBe('log-without-file');
    expect(salvage(opened).uids.size).toBe(60);
    opened.database.close();
  });

  test('a crash before the rows were carried over offers them again', () => {
    afterDamage(() => overwrite(0, Buffer.alloc(4096))).database.abandon();
    const again = open();
    expect(again.report).toMatchObject({ created: false, quarantined: null });
    expect(salvage(again).uids.size).toBe(500);
    again.damagedCopies[0]?.finish();
    again.database.close();
    const third = open();
    expect(third.damagedCopies).toEqual([]);
    third.database.close();
  });
});

describe('a place that cannot be written', () => {
  class Unwritable extends NodeFileSystem {
    override mayWrite(): boolean {
      return false;
    }
  }
  const openUnwritable = (): OpenedDatabase => openTestDatabase(sqlite, new Unwritable(), folder);

  test('is read completely, log included, explains why it cannot save, and nothing changes on disk', () => {
    killedStoreWithNotes(20, 30);
    const before = [main, log].map((path) => readFileSync(path));
    const { database, report } = openUnwritable();
    expect(report.readOnly).toMatchObject({
      causeClass: 'readOnly',
      message: expect.stringContaining('cannot be written'),
    });
    expect(noteUids(database)).toHaveLength(50);
    expect(() => addNotes(database, 90, 91)).toThrow(expect.objectContaining({ causeClass: 'readOnly' }));
    database.close();
    expect([main, log].map((path, index) => before[index]?.equals(readFileSync(path)))).toEqual([true, true]);
  });

  test('moves nothing when the store is damaged', () => {
    writeFileSync(main, 'hello');
    expect(refusal(openUnwritable)).toMatchObject({
      causeClass: 'corrupt',
      message: expect.stringMatching(
        /damaged, and Hermes can’t write to .* Make that folder writable, or free some space, then choose Try Again\.$/,
      ),
    });
    expect(readdirSync(folder)).toEqual(['state.db']);
  });
});
