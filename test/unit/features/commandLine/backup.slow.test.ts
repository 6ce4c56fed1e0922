import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { mkdirSync, rmSync } from 'node:fs';
import { storeFiles } from '../../../../src/store/open/storeFiles';
import { buildStoreWorker, type BuiltStoreWorker } from '../../../support/storeWorker';
import { converse } from '../../store/library/libraryWorld';
import { backupWorld, type BackupWorld } from '../backup/core/backupWorld';
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

async function run(...args: string[]) {
  const words = ['backup', ...args, '--store', 'store'];
  const { code, lines } = await runIn({ folder: world.root, programFolder: worker.folder }, words);
  return { code, lines: lines.map(plain) };
}

/** Without what differs from run to run. */
function plain(line: string): string {
  return line
    .replace(/\d{8}T\d{9}Z/g, '<id>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
    .replace(/[\d.]+ [KM]B/g, '<size>');
}

test('makes, lists, verifies and restores', async () => {
  const owner = world.open();
  converse(owner.operations, 's1', 'One');
  const made = await run('make');
  const again = await run('make');
  const id = world.backups.list().backups[0]?.id ?? '';
  converse(owner.operations, 's2', 'Two');
  owner.close();
  rmSync(storeFiles(world.place.store).lock, { force: true });
  const listed = [await run('list'), await run('list', id), await run('verify')];
  const asked = await run('restore', id);
  const restored = await run('restore', id, '--yes');
  const newest = world.backups.list().backups[0]?.id ?? '';
  const brought = await run('restore', newest, '--session', 's2', '--yes');
  const opened = world.open();
  const sessions = opened.operations.listSessions({ limit: 9 }).map((session) => session.id);
  opened.close();
  expect({ made, again, listed, asked, restored, brought, sessions: sessions.sort() }).toEqual({
    made: { code: 0, lines: ['Made and verified backup <id>: 1 sessions, 2 messages, <size> more on disk.'] },
    again: { code: 0, lines: ['Nothing has changed since backup <id>.'] },
    listed: [
      {
        code: 0,
        lines: ['<id>  <time> UTC  request    1 sessions  2 messages  <size>', '1 backups, <size> on disk.'],
      },
      { code: 0, lines: ['s1  2 messages  One?'] },
      { code: 0, lines: ['No problems were found.'] },
    ],
    asked: { code: 1, lines: ['! Nothing was changed.'] },
    restored: { code: 0, lines: ['Restored backup <id>.', 'What was there before is in backup <id>.'] },
    brought: { code: 0, lines: ['Brought back 1 sessions with 2 messages.'] },
    sessions: ['s1', 's2'],
  });
});

test('explains wrong usage', async () => {
  mkdirSync(world.place.store, { recursive: true });
  const lines = [await run('restore'), await run('copy'), await run('make', '--limit', 'x')].map((result) => [
    result.code,
    result.lines[0],
  ]);
  expect(lines).toEqual([
    [2, '! Name the backup to restore: see backup list.'],
    [2, '! Choose make, list, verify or restore.'],
    [2, '! --limit is a number of megabytes.'],
  ]);
});
