import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherSqlite } from '../../../support/otherSqlite';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { backupWorld, type BackupWorld } from '../backup/core/backupWorld';
import { converse } from '../../store/library/libraryWorld';
import { runIn } from './terminalOf';

let worker: BuiltStoreWorker;
let world: BackupWorld;
beforeAll(async () => {
  worker = await buildStoreWorker();
});
afterAll(() => worker.remove());
beforeEach(async () => {
  world = await backupWorld();
});
afterEach(() => world.remove());

const run = (...args: string[]) => runIn({ folder: world.root, programFolder: worker.folder }, ['copy', ...args]);

const query = 'SELECT id FROM sessions ORDER BY id; PRAGMA integrity_check;';

test('copies what the log has too, while a window has the sessions open, to a file that another SQLite opens', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  const path = join(world.root, 'copy.db');
  const first = await run('--store', 'store', 'copy.db');
  const found = otherSqlite(path, query);
  converse(owner.operations, 's2', 'Two');
  await run('--store', 'store', 'later.db');
  owner.close();
  expect({ first, found, later: otherSqlite(join(world.root, 'later.db'), query) }).toEqual({
    first: { code: 0, lines: [`Copied to ${path}`] },
    found: ['s1', 'ok'],
    later: ['s1', 's2', 'ok'],
  });
});

test('replaces no file, leaves nothing unfinished, and says what is missing', async () => {
  writeFileSync(join(world.root, 'mine.db'), 'mine');
  const there = await run('--store', 'store', 'mine.db');
  const nothing = await run('--store', 'nowhere', 'copy.db');
  const unnamed = [await run('copy.db'), await run('--store', 'store')];
  expect({
    there: [there.code, there.lines[0]],
    nothing: nothing.code,
    unnamed: unnamed.map(({ code, lines }) => [code, lines[0]]),
    left: [existsSync(join(world.root, 'copy.db')), readdirSync(world.root).filter((name) => name.endsWith('.new'))],
  }).toEqual({
    there: [2, `! There is already ${join(world.root, 'mine.db')}. Name a new file.`],
    nothing: 2,
    unnamed: [
      [2, '! Name the folder of the store: --store <folder>.'],
      [2, '! Name the file to write.'],
    ],
    left: [false, []],
  });
});
