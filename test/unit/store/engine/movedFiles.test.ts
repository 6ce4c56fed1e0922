import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';
import { assertFence } from '../../../../src/store/lock/heldLock';
import { StoreError } from '../../../../src/store/storeError';
import { testSqlite } from '../../../support/sqlite';
import { addNotes, noteTable, noteUids, openTestDatabase } from '../../../support/testStore';

const disk = new NodeFileSystem();
let home = '';
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-moved-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (name: string): string => path.join(home, name);
const lock = (): string => at('store/state.db.lock');
const three = ['note-0', 'note-1', 'note-2'];

/** A store with three notes that asks for the lock at its name, as a window does. */
async function opened() {
  const sqlite = await testSqlite();
  mkdirSync(at('store'));
  writeFileSync(lock(), 'mine');
  // What keeps a lock's number from being given to another file.
  linkSync(lock(), at('held'));
  const fence = disk.stat(lock())?.identity ?? '';
  const { database } = openTestDatabase(sqlite, disk, at('store'), {
    assertOwned: () => assertFence(disk, lock(), fence),
    rescueFolders: [at('rescue')],
  });
  database.execute(noteTable);
  addNotes(database, 0, 3);
  const reopened = (folder = at('store')) => {
    const again = openTestDatabase(sqlite, disk, folder, { rescueFolders: [at('rescue')] });
    const notes = noteUids(again.database);
    again.database.close();
    return { notes, putBack: again.report.putBack };
  };
  return { sqlite, database, reopened };
}

function said(work: () => void): { readonly cause: string; readonly sentence: string } | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { cause: error.causeClass, sentence: error.message.replaceAll(home, '') };
  }
}

describe('files of a store that disappear while it is open', () => {
  it('a deleted lock is reported as such, and no commit is acknowledged without it', async () => {
    const { database, reopened } = await opened();
    rmSync(lock());
    const tries = [said(() => addNotes(database, 3, 4)), said(() => void noteUids(database))];
    database.close();
    const sentence =
      'The lock file for your sessions was deleted. Everything shown is saved. Hermes opens your sessions again.';
    expect({ tries, names: readdirSync(at('store')).sort(), reopened: reopened() }).toEqual({
      tries: [
        { cause: 'deleted', sentence },
        { cause: 'deleted', sentence },
      ],
      names: ['state.db', 'state.db.wal'],
      reopened: { notes: three, putBack: null },
    });
  });

  it('a lock that another window holds is still reported as that, and the files are left to that window', async () => {
    const { database } = await opened();
    const before = [readFileSync(at('store/state.db')), readFileSync(at('store/state.db.wal'))];
    rmSync(lock());
    writeFileSync(lock(), 'theirs');
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    const after = [readFileSync(at('store/state.db')), readFileSync(at('store/state.db.wal'))];
    expect({
      tried: tried?.cause,
      sentence: tried?.sentence.startsWith('Another window has taken over'),
      same: before.map((bytes, index) => after[index]?.equals(bytes)),
    }).toEqual({
      tried: 'replaced',
      sentence: true,
      same: [true, true],
    });
  });

  it('a deleted file is copied next to its name, and the next opening restores the copy', async () => {
    const { database, reopened } = await opened();
    rmSync(at('store/state.db'));
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    const kept = readdirSync(at('store')).filter((name) => name.endsWith('.db'));
    expect({
      tried,
      kept,
      reopened: reopened(),
      names: readdirSync(at('store')).filter((name) => name.endsWith('.db')),
    }).toEqual({
      tried: {
        cause: 'deleted',
        sentence:
          'The file that holds your sessions was deleted or moved while it was in use. Hermes puts it back now. Your sessions are kept in /store/state.replaced-1.db.',
      },
      kept: ['state.replaced-1.db'],
      reopened: { notes: [...three, 'note-3'], putBack: at('store/state.replaced-1.db') },
      names: ['state.db'],
    });
  });

  it('B68 a deleted log: its pages are copied into the file, and no further commit is accepted', async () => {
    const { database, reopened } = await opened();
    rmSync(at('store/state.db.wal'));
    const tries = [said(() => addNotes(database, 3, 4))?.cause, said(() => addNotes(database, 4, 5))?.cause];
    database.close();
    expect({ tries, notes: reopened().notes }).toEqual({
      tries: ['replaced', 'replaced'],
      notes: [...three, 'note-3'],
    });
  });

  it('a deleted folder is created again and holds the copy', async () => {
    const { database, reopened } = await opened();
    rmSync(at('store'), { recursive: true });
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    expect({ tried, reopened: reopened() }).toEqual({
      tried: {
        cause: 'deleted',
        sentence:
          'The folder that holds your sessions was deleted or moved while it was in use. Hermes puts it back now. Your sessions are kept in /store/state.replaced-1.db.',
      },
      reopened: { notes: three, putBack: at('store/state.replaced-1.db') },
    });
  });

  it('a folder that cannot be created again: the copy is kept in another folder and restored once possible', async () => {
    const { database, reopened } = await opened();
    rmSync(at('store'), { recursive: true });
    writeFileSync(at('store'), 'in the way');
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    const kept = readdirSync(at('rescue'));
    rmSync(at('store'));
    expect({
      kept,
      named: tried?.sentence.includes('/rescue/state.replaced-1.db'),
      reopened: reopened(),
      left: readdirSync(at('rescue')),
    }).toEqual({
      kept: ['state.replaced-1.db'],
      named: true,
      reopened: { notes: three, putBack: at('rescue/state.replaced-1.db') },
      left: [],
    });
  });

  it('a deleted folder is noticed on close at the latest, also in the middle of a search', async () => {
    const { database, reopened } = await opened();
    const reading = database.iterate('SELECT uid FROM notes');
    reading.next();
    rmSync(at('store'), { recursive: true });
    database.close();
    expect(reopened()).toEqual({ notes: three, putBack: at('store/state.replaced-1.db') });
  });

  it('a folder that is moved away stays as it was, log included', async () => {
    const { database, reopened } = await opened();
    renameSync(at('store'), at('away'));
    const before = [readFileSync(at('away/state.db')), readFileSync(at('away/state.db.wal'))];
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    const after = [readFileSync(at('away/state.db')), readFileSync(at('away/state.db.wal'))];
    expect({
      tried: tried?.cause,
      same: before.map((bytes, index) => after[index]?.equals(bytes)),
      here: reopened().notes,
      there: reopened(at('away')).notes,
    }).toEqual({
      tried: 'deleted',
      same: [true, true],
      here: three,
      there: three,
    });
  });

  it('a file and a lock that another window created in their place are not touched, and the old content is kept', async () => {
    const { database, sqlite } = await opened();
    for (const name of ['state.db', 'state.db.wal', 'state.db.lock']) rmSync(at(`store/${name}`));
    writeFileSync(lock(), 'theirs');
    const theirs = openTestDatabase(sqlite, disk, at('store')).database;
    theirs.execute(noteTable);
    addNotes(theirs, 7, 8);
    const tried = said(() => addNotes(database, 3, 4));
    database.close();
    addNotes(theirs, 8, 9);
    const uids = noteUids(theirs);
    theirs.close();
    mkdirSync(at('kept'));
    renameSync(at('store/state.replaced-1.db'), at('kept/state.db'));
    const kept = openTestDatabase(sqlite, disk, at('kept')).database;
    expect({
      tried: tried?.sentence.startsWith('Another file replaced the one that holds your sessions.'),
      uids,
      kept: noteUids(kept),
    }).toEqual({ tried: true, uids: ['note-7', 'note-8'], kept: three });
    kept.close();
  });
});

describe('a copy that waits next to a store', () => {
  it('is restored only where no file has its name, the newest that opens first', async () => {
    const { database, reopened } = await opened();
    database.close();
    copyFileSync(at('store/state.db'), at('store/state.replaced-1.db'));
    writeFileSync(at('store/state.replaced-2.db'), 'no database');
    const untouched = reopened();
    rmSync(at('store/state.db'));
    expect({ untouched, put: reopened(), left: existsSync(at('store/state.replaced-2.db')) }).toEqual({
      untouched: { notes: three, putBack: null },
      put: { notes: three, putBack: at('store/state.replaced-1.db') },
      left: true,
    });
  });

  it('loses its second name after a process died while restoring it', async () => {
    const { database, reopened } = await opened();
    database.close();
    linkSync(at('store/state.db'), at('store/state.replaced-1.db'));
    expect({ again: reopened(), copy: existsSync(at('store/state.replaced-1.db')) }).toEqual({
      again: { notes: three, putBack: null },
      copy: false,
    });
  });
});
