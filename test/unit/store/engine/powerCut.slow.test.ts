import { beforeAll, describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import type { Sqlite } from '../../../../src/store/engine/sqlite';
import { runPowerCuts, seededRandom } from '../../../crash/powerCuts';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

let sqlite: Sqlite;
beforeAll(async () => {
  sqlite = await testSqlite();
});

describe('a power cut at any moment', () => {
  test.each([
    ['posix', 20],
    ['ntfs', 24],
    ['apfs', 25],
  ] as const)(
    'loses nothing acknowledged on %s, leaves no partial transaction, and the store opens',
    (system, seed) => {
      const { cutsInRecovery, ...found } = runPowerCuts(sqlite, { states: 400, seed, system });
      expect(found).toEqual({ states: 400, lost: 0, partial: 0, corrupt: 0, unopenable: 0 });
      expect(cutsInRecovery).toBeGreaterThan(50);
    },
  );

  test('would be noticed if syncing kept nothing', () => {
    const { lost, unopenable } = runPowerCuts(sqlite, { states: 100, seed: 21, honestSync: false });
    expect(lost + unopenable).toBeGreaterThan(30);
  });

  test('would be noticed if commits were not synced', () => {
    const { lost } = runPowerCuts(sqlite, { states: 100, seed: 22, synchronous: 'NORMAL' });
    expect(lost).toBeGreaterThan(10);
  });

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
