import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { storeFiles } from '../../../../../src/store/open/storeFiles';
import { StoreError } from '../../../../../src/store/storeError';
import type { OpenedStore } from '../../../../../src/store/worker/openedStore';
import { backupWorld, type BackupWorld } from '../core/backupWorld';
import { converse, label } from '../../../store/library/libraryWorld';
import { editor } from '../../../host/answeringEditor';
import { RecordingLog } from '../../../host/recordingLog';
import { fakeBackupWindow, never } from './fakeBackupWindow';
import { backupsOf } from './inProcessBackups';
import { BackupCommands } from '../../../../../src/features/backup/host/backupCommands';
import { timeText } from '../../../../../src/features/backup/host/backupPicks';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

let world: BackupWorld;
let owner: OpenedStore;
beforeEach(async () => {
  world = await backupWorld();
  owner = world.open();
});
afterEach(() => {
  owner.close();
  world.remove();
});

function commandsOf({
  isAnswering = false,
  sizes = async () => owner.operations.storeSizes(),
  folder = null as string | null,
} = {}) {
  const { backups } = backupsOf(world, { backupsFolder: folder });
  const log = new RecordingLog();
  const seen = { restored: 0, closed: 0 };
  const turn = { sessionId: 's1', turnUid: 't', activity: null, isWaiting: false };
  const window = fakeBackupWindow({
    history: {
      folder: world.place.store,
      store: { storeSizes: sizes, listSessions: never },
      connection: {
        whileClosed: async (work) => {
          seen.closed++;
          owner.close();
          rmSync(storeFiles(world.place.store).lock, { force: true });
          try {
            return await work();
          } finally {
            owner = world.open();
          }
        },
      },
    },
    gateway: {
      turns: { running: () => (isAnswering ? [turn] : []), onDidChangeRunning: never },
      actions: { copyToThisFolder: async (input) => owner.operations.copyToThisFolder(input) },
    },
    sessions: { trash: never, erase: never, refresh: () => void seen.restored++ },
    log,
  });
  const { table } = new BackupCommands(window, backups);
  const run = async (name: string): Promise<void> => table[name]?.();
  return { backups, seen, run, log };
}

const sessionsHere = (): readonly string[] =>
  owner.operations
    .listSessions({ limit: 9 })
    .map(({ id }) => id)
    .sort();

const backupTime = (): string => timeText(world.clock.now);

describe('Back Up Now', () => {
  it('says what was backed up, and that nothing has changed since', async () => {
    converse(owner.operations, 's1', 'Hello');
    const { run } = commandsOf();
    await run('backUpNow');
    await run('backUpNow');
    expect(editor.shown).toEqual([
      'Backed up 1 session with 2 messages.',
      `Nothing has changed since the backup of ${backupTime()}.`,
    ]);
  });
});

describe('Restore from Backup', () => {
  it('says where it looked when there is none', async () => {
    const { run } = commandsOf();
    await run('restoreFromBackup');
    expect(editor.shown).toEqual([`No backups were found in ${world.place.backups}.`]);
  });

  it('brings chosen sessions back, and backs up what is here first', async () => {
    for (const id of ['s1', 's2', 's3']) {
      converse(owner.operations, id, `Words of ${id}`);
      owner.operations.setTitle(id, `Title of ${id}`, 'person');
    }
    const { backups, run, seen } = commandsOf();
    await run('backUpNow');
    const madeAt = backupTime();
    for (const id of ['s2', 's3']) {
      owner.operations.trashSession(id, world.clock.now);
      owner.operations.pruneTrash(world.clock.now + 1);
    }
    const before = sessionsHere();
    world.clock.now += 3600;
    editor.picks.push(madeAt);
    editor.multiPicks.push({ rows: ['Title of s2'] });
    editor.shown.length = 0;
    await run('restoreFromBackup');
    const { backups: kept } = await backups.list(world.place.store);
    expect({
      before,
      preselected: editor.preselected[0]?.length,
      rows: editor.offered[1]?.length,
      after: sessionsHere(),
      said: editor.shown,
      reasons: kept.map(({ reason }) => reason),
      seen,
    }).toEqual({
      before: ['s1'],
      preselected: 2,
      rows: 3,
      after: ['s1', 's2'],
      said: ['Brought back 1 session with 2 messages.'],
      reasons: ['restore', 'request'],
      seen: { restored: 1, closed: 0 },
    });
  });

  it('puts a whole backup in place after a question, and keeps what was here as a backup', async () => {
    converse(owner.operations, 's1', 'Old');
    const { backups, run, seen } = commandsOf();
    await run('backUpNow');
    const madeAt = backupTime();
    world.clock.now += 3600;
    converse(owner.operations, 's2', 'New');
    editor.shown.length = 0;
    editor.picks.push(madeAt, madeAt);
    editor.multiPicks.push({ button: true }, { button: true });
    editor.buttons.push(undefined, 'Restore Everything');
    await run('restoreFromBackup');
    const afterCancel = sessionsHere();
    await run('restoreFromBackup');
    const { backups: kept } = await backups.list(world.place.store);
    expect({
      afterCancel,
      after: sessionsHere(),
      said: editor.shown.slice(1),
      counts: kept.map((each) => each.sessions),
      seen,
    }).toEqual({
      afterCancel: ['s1', 's2'],
      after: ['s1'],
      said: [
        `Replace all sessions with the backup of ${madeAt}? / Sessions that are here and not in the ` +
          'backup: 1.\n\nThe present sessions are backed up first, so you can return to them.',
        `The backup of ${madeAt} was restored.`,
      ],
      counts: [2, 1],
      seen: { restored: 1, closed: 1 },
    });
  });

  it('does not replace sessions while one is answered', async () => {
    converse(owner.operations, 's1', 'Old');
    const { run, seen } = commandsOf({ isAnswering: true });
    await run('backUpNow');
    editor.picks.push(backupTime());
    editor.multiPicks.push({ button: true });
    editor.buttons.push('Restore Everything');
    await expect(run('restoreFromBackup')).rejects.toMatchObject({ causeClass: 'busy' });
    expect(seen).toEqual({ restored: 0, closed: 0 });
  });

  it('lists backups of stores at other paths in the chosen folder, and brings their sessions back', async () => {
    const disk = join(world.root, 'disk');
    mkdirSync(disk);
    const former = join(world.root, 'former');
    const { backups, run } = commandsOf({ folder: disk });
    const there = world.open(former);
    label(there.operations, { name: 'shop', path: '/home/me/shop' });
    converse(there.operations, 'f1', 'Words of f1');
    there.operations.setTitle('f1', 'Title of f1', 'person');
    await backups.make(former, 'request');
    there.close();
    rmSync(former, { recursive: true });
    const time = backupTime();
    const facts = (await backups.others(world.place.store)).map((other) => [other.label?.name, other.backups.length]);
    editor.picks.push(time);
    editor.multiPicks.push({ rows: ['Title of f1'] });
    await run('restoreFromBackup');
    const kept = readdirSync(disk).map((name) => readdirSync(join(disk, name)).filter((file) => /^backup-/.test(file)));
    expect({
      facts,
      rows: editor.offered[0]?.map((row) => row.replace(/\d+ kB/, 'some kB')),
      picker: editor.pickers,
      here: sessionsHere(),
      said: editor.shown,
      kept: kept.map((files) => files.length),
    }).toEqual({
      facts: [['shop', 1]],
      rows: ['Other Folders | ', `${time} | shop · 1 session · 2 messages · some kB`],
      picker: [['Sessions to bring back', 0]],
      here: ['f1'],
      said: ['Brought back 1 session with 2 messages.'],
      kept: [1, 1],
    });
  });

  it('lists a backup all the same when the sessions here, or other folders, cannot be read, and logs why', async () => {
    converse(owner.operations, 's1', 'Old');
    const { backups, run, log } = commandsOf({
      sizes: () => Promise.reject(new StoreError('corrupt', 'The file is damaged.', 'damaged')),
    });
    await run('backUpNow');
    backups.others = () => Promise.reject(new StoreError('unknown', 'The disk is slow.', 'slow'));
    editor.picks.push(backupTime());
    editor.multiPicks.push({});
    await run('restoreFromBackup');
    expect([editor.offered.length, log.lines]).toEqual([
      2,
      [
        'warn: Backups of other folders could not be listed: The disk is slow.',
        'warn: The sessions here could not be compared with a backup: The file is damaged.',
      ],
    ]);
  });
});
