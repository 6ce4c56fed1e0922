import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backupPlaceOf } from '../../../../../src/features/backup/host/storeBackups';
import { storeFiles } from '../../../../../src/store/open/storeFiles';
import { backupWorld, type BackupWorld } from '../core/backupWorld';
import { converse } from '../../../store/library/libraryWorld';
import { backupsOf } from './inProcessBackups';

let world: BackupWorld;
beforeEach(async () => {
  world = await backupWorld();
});
afterEach(() => world.remove());

function talk(...sessionIds: readonly string[]): void {
  const owner = world.open();
  for (const id of sessionIds) converse(owner.operations, id, `Words of ${id}`);
  owner.close();
}

const idsIn = async ({ backups }: ReturnType<typeof backupsOf>): Promise<readonly string[][]> => {
  const { backups: found } = await backups.list(world.place.store);
  return Promise.all(
    found.map(async ({ id }) => (await backups.contents(world.place.store, id)).map((entry) => entry.id)),
  );
};

describe('the folder of backups', () => {
  it('is beside the store, or one per store in the chosen folder', () => {
    const chosen = join(world.root, 'disk');
    const places = ['/one', '/two', '/one'].map((store) => backupPlaceOf(store, chosen).backups);
    expect([
      backupPlaceOf('/one', null).backups,
      places.map((place) => place.startsWith(join(chosen, '')) && place.length > chosen.length + 8),
      new Set(places).size,
    ]).toEqual([join('/one', 'backups'), [true, true, true], 2]);
  });

  it('that was chosen is never created: without its disk no backup is made', async () => {
    talk('s1');
    const chosen = join(world.root, 'disk');
    const window = backupsOf(world, { backupsFolder: chosen });
    const refusal = await window.backups.make(world.place.store, 'request').catch((error: unknown) => error);
    const wasCreated = existsSync(chosen);
    mkdirSync(chosen);
    await window.backups.make(world.place.store, 'request');
    expect({ refusal, wasCreated, made: await idsIn(window), beside: existsSync(world.place.backups) }).toEqual({
      refusal: expect.objectContaining({
        causeClass: 'not-found',
        message: `The folder for backups, ${chosen}, can’t be found. Connect its disk, or choose another folder.`,
      }),
      wasCreated: false,
      made: [['s1']],
      beside: false,
    });
  });
});

describe('a scheduled backup', () => {
  it('is made when something has changed, and not at all when backups are off', async () => {
    const window = backupsOf(world);
    for (const id of ['s1', 's2', null]) {
      if (id !== null) talk(id);
      await window.backups.makeScheduled(world.place.store);
      world.clock.now += 3600;
    }
    window.settings.backupsEnabled = false;
    talk('s3');
    await window.backups.makeScheduled(world.place.store);
    expect(await idsIn(window)).toEqual([['s1', 's2'], ['s1']]);
  });
});

describe('before the store is opened', () => {
  const age = (): void => {
    const { main } = storeFiles(world.place.store);
    const bytes = readFileSync(main);
    bytes.writeInt32BE(5, 60);
    writeFileSync(main, bytes);
  };

  it('a store of an older version is backed up, and one of this version is not', async () => {
    talk('s1');
    const window = backupsOf(world);
    const current = await window.backups.beforeOpening(world.place.store);
    const none = await idsIn(window);
    age();
    const older = await window.backups.beforeOpening(world.place.store);
    const { backups } = await window.backups.list(world.place.store);
    expect({ current, none, older, reasons: backups.map(({ reason }) => reason) }).toEqual({
      current: null,
      none: [],
      older: null,
      reasons: ['migration'],
    });
  });

  it('a backup that fails is said, and does not keep the store closed', async () => {
    talk('s1');
    age();
    const { backups } = backupsOf(world, { backupsFolder: join(world.root, 'gone') });
    expect(await backups.beforeOpening(world.place.store)).toBe(
      'The file of your sessions was updated for this version without a backup. The folder for backups,' +
        ` ${join(world.root, 'gone')}, can’t be found. Connect its disk, or choose another folder.`,
    );
  });
});

describe('forgetting', () => {
  it('reaches every backup, and has nothing to add then', async () => {
    talk('s1', 'secret');
    const window = backupsOf(world);
    await window.backups.make(world.place.store, 'scheduled');
    const left = await window.backups.forget(world.place.store, ['secret']);
    expect({
      left,
      ids: await idsIn(window),
      bytes: world.everyByteOf(world.place.backups).includes('Words of secret'),
    }).toEqual({ left: [], ids: [['s1']], bytes: false });
  });

  it('names what it cannot reach, and reaches the folder once it is back', async () => {
    talk('s1', 'secret');
    const chosen = join(world.root, 'disk');
    mkdirSync(chosen);
    const window = backupsOf(world, { backupsFolder: chosen });
    await window.backups.make(world.place.store, 'scheduled');
    const [place = ''] = readdirSync(chosen);
    renameSync(chosen, `${chosen}.unplugged`);
    const left = await window.backups.forget(world.place.store, ['secret']);
    renameSync(`${chosen}.unplugged`, chosen);
    await window.backups.makeScheduled(world.place.store);
    expect({ left, still: world.everyByteOf(chosen).includes('Words of secret') }).toEqual({
      left: [`Backups in ${join(chosen, place)} can’t be reached now. Hermes erases the sessions there once it can.`],
      still: false,
    });
    expect(await idsIn(window)).toEqual([['s1']]);
  });

  it('never rejects: an unwritable list of backups is said', async () => {
    talk('s1');
    const { backups } = backupsOf(world);
    await backups.make(world.place.store, 'request');
    rmSync(join(world.place.store, 'backups.json'));
    mkdirSync(join(world.place.store, 'backups.json.new', 'full'), { recursive: true });
    expect(await backups.forget(world.place.store, ['s1'])).toEqual([
      expect.stringMatching(/^Backups may still hold them\. /),
    ]);
  });
});
