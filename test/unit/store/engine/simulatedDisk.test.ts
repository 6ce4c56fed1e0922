import { describe, expect, test } from 'vitest';
import { errnoOf } from '../../../../src/store/engine/fileSystem';
import { SimulatedDisk } from '../../../support/simulatedDisk';

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);
const surviving = (): number => 0;
const lost = (): number => 0.99;

function diskWithFolder(): SimulatedDisk {
  const disk = new SimulatedDisk();
  disk.makeFolder('/f');
  return disk;
}

function errnoFrom(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (error) {
    return errnoOf(error);
  }
}

describe('a power cut', () => {
  test('keeps what was synced, name included', () => {
    const disk = diskWithFolder();
    const file = disk.open('/f/a', 'create');
    file.write(bytes(1000, 1), 0);
    file.sync();
    disk.syncFolder('/f');
    expect(disk.powerCut(lost).bytesOf('/f/a')).toEqual(bytes(1000, 1));
  });

  test('may lose a name that was not synced, even if its content was', () => {
    const disk = diskWithFolder();
    const file = disk.open('/f/a', 'create');
    file.write(bytes(10, 1), 0);
    file.sync();
    expect([disk.powerCut(lost).list('/f'), disk.powerCut(surviving).list('/f')]).toEqual([[], ['a']]);
  });

  test('loses unsynced sectors one by one', () => {
    const disk = diskWithFolder();
    disk.put('/f/a', bytes(2048, 1));
    disk.open('/f/a', 'write').write(bytes(2048, 2), 0);
    const draws = [0, 0, 0.99, 0, 0.99];
    const content = disk.powerCut(() => draws.shift() ?? 0).bytesOf('/f/a');
    expect([0, 512, 1024, 1536].map((sector) => content[sector])).toEqual([2, 1, 2, 1]);
  });

  test('leaves a renamed file under exactly one of its names', () => {
    const disk = diskWithFolder();
    disk.put('/f/a', bytes(1, 1));
    disk.rename('/f/a', '/f/b');
    expect([disk.powerCut(lost).list('/f'), disk.powerCut(surviving).list('/f')]).toEqual([['a'], ['b']]);
  });

  test('leaves the disk it copies unchanged, and returns a disk that loses nothing more', () => {
    const disk = diskWithFolder();
    disk.open('/f/a', 'create').write(bytes(700, 1), 0);
    const survivor = disk.powerCut(surviving);
    survivor.open('/f/a', 'write').write(bytes(1, 9), 0);
    expect([disk.bytesOf('/f/a')[0], survivor.powerCut(lost).bytesOf('/f/a').length]).toEqual([1, 700]);
  });
});

describe('a failing disk', () => {
  test('writes what fits when it is full', () => {
    const disk = diskWithFolder();
    disk.capacity = 100;
    const file = disk.open('/f/a', 'create');
    expect([errnoFrom(() => file.write(bytes(150, 1), 0)), file.size()]).toEqual(['ENOSPC', 100]);
    // Overwriting needs no room.
    expect(errnoFrom(() => file.write(bytes(100, 2), 0))).toBe('none');
  });

  test('refuses every change when it is read-only, and still reads', () => {
    const disk = diskWithFolder();
    disk.put('/f/a', bytes(3, 1));
    disk.readOnly = true;
    const into = bytes(3, 0);
    disk.open('/f/a', 'read').read(into, 0);
    const changes = [
      () => disk.open('/f/b', 'create'),
      () => disk.open('/f/a', 'write'),
      () => disk.remove('/f/a'),
      () => disk.rename('/f/a', '/f/b'),
      () => disk.link('/f/a', '/f/b'),
      () => disk.makeFolder('/g'),
    ];
    expect({ errors: changes.map(errnoFrom), into }).toEqual({ errors: Array(6).fill('EROFS'), into: bytes(3, 1) });
  });

  test('fails at the requested operation', () => {
    const disk = new SimulatedDisk({
      intervene: ({ kind }) => (kind === 'sync' ? 'EIO' : kind === 'write' ? { errno: 'EIO', written: 2 } : undefined),
    });
    disk.makeFolder('/f');
    const file = disk.open('/f/a', 'create');
    expect([errnoFrom(() => file.write(bytes(5, 1), 0)), file.size(), errnoFrom(() => file.sync())]).toEqual([
      'EIO',
      2,
      'EIO',
    ]);
  });
});

test('names follow the rules of a real file system', () => {
  const disk = diskWithFolder();
  disk.put('/f/a', bytes(1, 1));
  const results = [
    () => disk.open('/f/none', 'read'),
    () => disk.open('/f/none', 'write'),
    () => disk.open('/f/a', 'createNew'),
    () => disk.open('/f', 'read'),
    () => disk.open('/g/a', 'create'),
    () => disk.link('/f/a', '/f/a'),
    () => disk.remove('/f/none'),
    () => disk.rename('/f/none', '/f/b'),
    () => disk.list('/g'),
  ].map(errnoFrom);
  expect(results).toEqual(['ENOENT', 'ENOENT', 'EEXIST', 'EISDIR', 'ENOENT', 'EEXIST', 'ENOENT', 'ENOENT', 'ENOENT']);
  disk.link('/f/a', '/f/b');
  expect([disk.stat('/f/a')?.identity === disk.stat('/f/b')?.identity, disk.stat('/f/none')]).toEqual([
    true,
    undefined,
  ]);
});

describe('the rules of NTFS', () => {
  function ntfs(): SimulatedDisk {
    const disk = new SimulatedDisk({ system: 'ntfs' });
    disk.makeFolder('/f');
    disk.put('/f/old', bytes(1, 1));
    return disk;
  }

  test('an open file can’t be replaced, and its name is blocked from its removal until it is closed', () => {
    const disk = ntfs();
    disk.put('/f/new', bytes(1, 2));
    const open = disk.open('/f/old', 'write');
    const errors = [
      () => disk.rename('/f/new', '/f/old'),
      () => disk.remove('/f/old'),
      () => disk.open('/f/old', 'read'),
      () => disk.rename('/f/new', '/f/old'),
    ].map(errnoFrom);
    open.close();
    expect([errors, errnoFrom(() => disk.rename('/f/new', '/f/old')), disk.bytesOf('/f/old')]).toEqual([
      ['EPERM', 'none', 'EPERM', 'EPERM'],
      'none',
      bytes(1, 2),
    ]);
  });

  test('names survive a power cut in their order, at least up to the one of a synced file', () => {
    const disk = ntfs();
    disk.open('/f/a', 'create');
    const synced = disk.open('/f/b', 'create');
    synced.sync();
    disk.open('/f/c', 'create');
    disk.open('/f/d', 'create');
    disk.syncFolder('/f');
    const left = [0.99, 0.4, 0].map((draw) => disk.powerCut(() => draw).list('/f').length);
    expect(left).toEqual([3, 3, 5]);
  });

  test('names that differ in case are the same name', () => {
    const disk = ntfs();
    expect([errnoFrom(() => disk.open('/f/OLD', 'createNew')), disk.list('/f')]).toEqual(['EEXIST', ['old']]);
  });
});
