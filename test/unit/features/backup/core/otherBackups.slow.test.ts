import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Backups } from '../../../../../src/features/backup/core/backups';
import { converse, label } from '../../../store/library/libraryWorld';
import { backupWorld, scheduled, type BackupWorld } from './backupWorld';

let world: BackupWorld;
let disk: string;
beforeEach(async () => {
  world = await backupWorld();
  disk = join(world.root, 'disk');
  mkdirSync(disk);
});
afterEach(() => world.remove());

/** Makes a backup of a store with one session in a folder of the disk. */
function backUp(name: string, folderName: string | null, sessionId = name): Backups {
  const store = join(world.root, `store-${name}`);
  const owner = world.open(store);
  if (folderName !== null) label(owner.operations, { name: folderName });
  converse(owner.operations, sessionId, `Words of ${sessionId}`);
  owner.close();
  const backups = new Backups(world.deps, { store, backups: join(disk, name) });
  world.clock.now += 60;
  backups.make(scheduled);
  return backups;
}

const listed = (backups: Backups): readonly string[] =>
  backups
    .others(disk)
    .map((other) => `${other.folder.slice(disk.length + 1)} ${other.label?.name} ${other.backups.length}`);

it('are those of all stores but this one, the newest first, with the names of their folders', () => {
  const own = backUp('own', 'mine');
  backUp('a', 'shop');
  backUp('b', null);
  mkdirSync(join(disk, 'photos'));
  writeFileSync(join(disk, 'notes.txt'), 'mine');
  expect(listed(own)).toEqual(['b undefined 1', 'a shop 1']);
  expect(own.others(join(disk, 'nowhere'))).toEqual([]);
});

it('are read where they are: contents and copies come from there, and nothing is written there', () => {
  const own = backUp('own', 'mine');
  backUp('a', 'shop');
  const before = readdirSync(disk, { recursive: true }).sort();
  const [other] = own.others(disk);
  const id = other?.backups[0]?.id ?? '';
  const copy = own.takeCopy(id, ['a'], other?.folder);
  expect([own.contents(id, other?.folder).map((entry) => entry.id), copy.sessionIds]).toEqual([['a'], ['a']]);
  expect(() => own.contents(id)).toThrow('no longer exists');
  expect(readdirSync(disk, { recursive: true }).sort()).toEqual(before);
});

it('are listed without a name when the newest one is damaged', () => {
  const own = backUp('own', 'mine');
  backUp('a', 'shop');
  rmSync(join(disk, 'a/chunks'), { recursive: true });
  expect(listed(own)).toEqual(['a undefined 1']);
});
