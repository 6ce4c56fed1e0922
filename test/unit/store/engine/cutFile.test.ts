import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import type { SqlJsDatabase } from '../../../../src/store/engine/sqlJsDatabase';
import { StoreError } from '../../../../src/store/storeError';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, addNotesAtOnce, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-cut-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const main = (): string => join(folder, 'state.db');
const log = (): string => `${main()}.wal`;
const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);

/** A store with 100 notes in the file and 20 in the log, whose file is longer than what one page holds. */
async function openStore(): Promise<SqlJsDatabase> {
  const { database } = openTestDatabase(await testSqlite(), new NodeFileSystem(), folder);
  database.execute(noteTable);
  addNotesAtOnce(database, 0, 100);
  database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  addNotesAtOnce(database, 100, 120);
  return database;
}

function failureOf(work: () => unknown): { readonly cause: string; readonly cut: boolean } | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { cause: error.causeClass, cut: error.message.includes('cut short') };
  }
}

/** What the next process finds, once it has read every damaged file that was kept. */
async function found() {
  const { database, damagedCopies, report } = openTestDatabase(await testSqlite(), new NodeFileSystem(), folder, {
    knownDamaged: true,
  });
  if (report.created) database.execute(noteTable);
  const uids = new Set(noteUids(database));
  for (const copy of damagedCopies) {
    copy.salvage((rows) => [...rows.rows('notes')].forEach((row) => uids.add(String(row['uid']))));
    copy.finish();
  }
  database.close();
  return uids.size;
}

const told = { cause: 'corrupt', cut: true };

describe('a file that is truncated while a process has it open', () => {
  it.each([
    ['the file by half', () => halve(main())],
    ['the file to nothing', () => truncateSync(main(), 0)],
    ['the file within a page', () => truncateSync(main(), statSync(main()).size - 100)],
    ['the log by half', () => halve(log())],
    ['the log to nothing', () => truncateSync(log(), 0)],
  ])('is noticed at the next commit, and everything acknowledged is kept: %s', async (_name, cut) => {
    const database = await openStore();
    cut();
    const tries = [failureOf(() => addNotes(database, 120, 121)), failureOf(() => noteUids(database))];
    database.close();
    const uids = await found();
    // The note whose commit failed may be there or not.
    expect({ tries, mustReopen: database.mustReopen, all: uids === 120 || uids === 121 }).toEqual({
      tries: [told, told],
      mustReopen: true,
      all: true,
    });
  });

  it('is noticed by a commit that extends the file; zeros hide nothing', async () => {
    const database = await openStore();
    halve(main());
    const cutTo = statSync(main()).size;
    const failure = failureOf(() => addNotesAtOnce(database, 120, 400));
    database.close();
    expect({ failure, size: statSync(main()).size, all: (await found()) >= 120 }).toEqual({
      failure: told,
      size: cutTo,
      all: true,
    });
  });

  it.each([
    ['a checkpoint', (database: SqlJsDatabase) => database.execute('PRAGMA wal_checkpoint(TRUNCATE)')],
    ['a read of what is gone', (database: SqlJsDatabase) => database.all('SELECT sum(length(text)) FROM notes')],
  ])('is noticed by %s', async (_name, work) => {
    (await openStore()).close();
    const { database } = openTestDatabase(await testSqlite(), new NodeFileSystem(), folder);
    addNotes(database, 120, 121);
    halve(main());
    const failure = failureOf(() => work(database));
    database.close();
    expect({
      failure,
      kept: readdirSync(folder).filter((name) => name.startsWith('state.damaged-')).length,
      some: (await found()) > 40,
    }).toEqual({ failure: told, kept: 1, some: true });
  });

  it('is not reported for files that only SQLite truncates', async () => {
    const database = await openStore();
    for (let round = 0; round < 3; round++) {
      addNotesAtOnce(database, 1000 + round * 500, 1500 + round * 500);
      database.transaction(() => database.run('DELETE FROM notes WHERE id > 120'));
      database.execute('VACUUM');
      database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
      addNotes(database, 1000 + round * 500, 1010 + round * 500);
    }
    database.transaction(() => database.run('DELETE FROM notes WHERE id > 120'));
    database.close();
    const names = readdirSync(folder);
    const again = openTestDatabase(await testSqlite(), new NodeFileSystem(), folder);
    expect({ names, notes: noteUids(again.database).length }).toEqual({ names: ['state.db'], notes: 120 });
    again.database.close();
  });
});
