import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import type { StoreError } from '../../../../src/store/storeError';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

const disk = new NodeFileSystem();
let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-displaced-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (name: string): string => path.join(home, name);

async function opened() {
  const sqlite = await testSqlite();
  const { database } = openTestDatabase(sqlite, disk, at('store'));
  database.execute(noteTable);
  addNotes(database, 0, 3);
  const reopened = (place = 'store'): readonly string[] => {
    const again = openTestDatabase(sqlite, disk, at(place)).database;
    const uids = noteUids(again);
    again.close();
    return uids;
  };
  return { database, reopened, sqlite };
}

function failureOf(work: () => void): Pick<StoreError, 'causeClass'> | null {
  try {
    work();
    return null;
  } catch (error) {
    return { causeClass: (error as StoreError).causeClass };
  }
}

const replaced = { causeClass: 'replaced' };

describe('a file that is moved while a process has it open', () => {
  it('B186 does not acknowledge a commit once another file has its name, and keeps a copy of its content', async () => {
    const { database, reopened, sqlite } = await opened();
    const other = openTestDatabase(sqlite, disk, at('other')).database;
    other.execute(noteTable);
    addNotes(other, 7, 8);
    other.close();
    renameSync(at('other/state.db'), at('store/state.db'));
    const tries = [
      failureOf(() => addNotes(database, 3, 4)),
      failureOf(() => addNotes(database, 4, 5)),
      failureOf(() => void noteUids(database)),
    ];
    database.close();
    mkdirSync(at('kept'));
    renameSync(at('store/state.replaced-1.db'), at('kept/state.db'));
    expect({ tries, mustReopen: database.mustReopen, inPlace: reopened(), kept: reopened('kept') }).toEqual({
      tries: [replaced, replaced, replaced],
      mustReopen: true,
      inPlace: ['note-7'],
      kept: ['note-0', 'note-1', 'note-2', 'note-3'],
    });
  });

  it('B68 copies the pages of a deleted log into the main file and accepts no further commit', async () => {
    const { database, reopened } = await opened();
    rmSync(at('store/state.db.wal'));
    const tries = [failureOf(() => addNotes(database, 3, 4)), failureOf(() => addNotes(database, 4, 5))];
    database.close();
    expect({ tries, stored: reopened() }).toEqual({
      tries: [replaced, replaced],
      stored: ['note-0', 'note-1', 'note-2', 'note-3'],
    });
  });

  it('B68 notices on close at the latest that the log was moved away', async () => {
    const { database, reopened } = await opened();
    renameSync(at('store/state.db.wal'), at('elsewhere.wal'));
    addNotes(database, 3, 4);
    database.close();
    expect(reopened()).toEqual(['note-0', 'note-1', 'note-2', 'note-3']);
  });

  it('leaves a log alone that belongs to the file now in its place', async () => {
    const { database, sqlite } = await opened();
    const other = openTestDatabase(sqlite, disk, at('other')).database;
    other.execute(noteTable);
    addNotes(other, 7, 8);
    other.abandon();
    renameSync(at('other/state.db'), at('store/state.db'));
    renameSync(at('other/state.db.wal'), at('store/state.db.wal'));
    database.close();
    const again = openTestDatabase(sqlite, disk, at('store')).database;
    expect(noteUids(again)).toEqual(['note-7']);
    again.close();
  });
});
