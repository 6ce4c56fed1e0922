import { beforeAll, describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import type { Sqlite } from '../../../../src/store/engine/sqlite';
import { seededRandom } from '../../../support/seededRandom';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

let sqlite: Sqlite;
beforeAll(async () => {
  sqlite = await testSqlite();
});

describe('a power cut at any moment', () => {
  test('keeps what is written to a log whose creator died before writing anything', () => {
    const disk = new SimulatedDisk();
    const first = openTestDatabase(sqlite, disk, '/store').database;
    first.execute(noteTable);
    first.close();
    // Opening makes the log; this process dies before its name is durable, and the next one finds it there.
    openTestDatabase(sqlite, disk, '/store').database.abandon();
    const next = openTestDatabase(sqlite, disk, '/store').database;
    addNotes(next, 0, 3);
    const survivor = disk.powerCut(() => 0.9);
    next.abandon();
    const found = openTestDatabase(sqlite, survivor, '/store').database;
    expect(noteUids(found)).toEqual(['note-0', 'note-1', 'note-2']);
    found.close();
  });

  test.each(['posix', 'ntfs', 'apfs'] as const)(
    'while a damaged file is being set aside on %s keeps every row reachable',
    (system) => {
      const random = seededRandom(23);
      const damaged = new SimulatedDisk({ system });
      const { database } = openTestDatabase(sqlite, damaged, '/store');
      database.execute(noteTable);
      addNotes(database, 0, 30);
      database.all('PRAGMA wal_checkpoint(TRUNCATE)');
      addNotes(database, 30, 40);
      database.abandon();
      const main = damaged.bytesOf('/store/state.db').fill(0, 0, 4096);
      damaged.put('/store/state.db', main);
      damaged.put('/store/state.db.wal', damaged.bytesOf('/store/state.db.wal'));

      const cuts: SimulatedDisk[] = [];
      for (let round = 0; round < 10; round += 1) {
        const disk: SimulatedDisk = damaged.powerCut(random, {
          intervene: () => {
            cuts.push(disk.powerCut(random));
            return undefined;
          },
        });
        openTestDatabase(sqlite, disk, '/store').database.close();
      }
      const rowsFound = cuts.map((disk) => {
        const opened = openTestDatabase(sqlite, disk, '/store');
        opened.database.execute(noteTable.replaceAll('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'));
        const uids = new Set<string>();
        for (const copy of opened.damagedCopies) {
          copy.salvage((rows) => [...rows.rows('notes')].forEach((row) => uids.add(String(row['uid']))));
        }
        opened.database.abandon();
        return uids.size;
      });
      expect(cuts.length).toBeGreaterThan(100);
      expect(new Set(rowsFound)).toEqual(new Set([40]));
    },
  );
});
