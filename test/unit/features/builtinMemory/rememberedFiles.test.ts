import { describe, expect, it } from 'vitest';
import type { MemoryPlace, RememberedFiles } from '../../../../src/features/builtinMemory/core/rememberedFiles';
import { acquireLock } from '../../../../src/store/lock/acquireLock';
import { seededRandom } from '../../../support/seededRandom';
import { MemoryDisks } from './memoryDisk';

const notes = '/workspace/MEMORY.md';

function notesOf(files: RememberedFiles): MemoryPlace {
  const place = files.place('memory', 'workspace');
  if (place === null) throw new Error('no workspace');
  return place;
}

function add(files: RememberedFiles, content: string): Promise<unknown> {
  return files.apply(notesOf(files), [{ action: 'add', content }]);
}

describe('memory on disk', () => {
  it('has a location for each target and scope, none in a workspace without a folder', () => {
    const paths = (files: RememberedFiles) => files.places.map(({ path, limit }) => `${path} ${limit}`);
    expect(paths(new MemoryDisks().files())).toEqual([
      '/global/USER.md 1375',
      '/workspace/USER.md 1375',
      '/global/MEMORY.md 2200',
      '/workspace/MEMORY.md 2200',
    ]);
    expect(paths(new MemoryDisks().files(1, null))).toEqual(['/global/USER.md 1375', '/global/MEMORY.md 2200']);
  });

  it('survives a power cut, whole, once it was reported as saved', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const disks = new MemoryDisks();
      await add(disks.files(), 'one');
      await add(disks.files(), 'two');
      const after = disks.disk.powerCut(seededRandom(seed));
      const file = after.open(notes, 'read');
      const bytes = new Uint8Array(file.size());
      file.read(bytes, 0);
      expect(new TextDecoder().decode(bytes)).toBe('one\n§\ntwo\n');
    }
  });

  it('loses nothing if windows and agents write at once, and leaves no lock or half-written file', async () => {
    const disks = new MemoryDisks();
    const [one, other] = [disks.files(1), disks.files(2)];
    const work = Array.from({ length: 12 }, (_none, index) => add(index % 2 === 0 ? one : other, `entry ${index}`));
    await disks.clock.advance(1000);
    await Promise.all(work);
    expect(one.entries(notesOf(one)).toSorted()).toEqual(
      Array.from({ length: 12 }, (_none, index) => `entry ${index}`).toSorted(),
    );
    expect(disks.disk.list('/workspace')).toEqual(['MEMORY.md']);
  });

  it('waits for another window that writes, continues when that one is gone, and reports it if it stays', async () => {
    const disks = new MemoryDisks();
    const { fileSystem, processes } = disks.window(2);
    const taken = acquireLock({
      fileSystem: (disks.disk.makeFolder('/workspace'), fileSystem),
      processes,
      folder: '/workspace',
      path: `${notes}.lock`,
      now: () => disks.clock.now(),
    });
    const refused = add(disks.files(1), 'one').then(
      () => 'saved',
      (error: unknown) => String(error),
    );
    await disks.clock.advance(6000);
    const waited = add(disks.files(1), 'two').then(() => 'saved');
    disks.living.delete(2);
    await disks.clock.advance(100);
    expect([taken.kind, await refused, await waited, disks.text(notes)]).toEqual([
      'held',
      'MemoryFileError: MEMORY.md is being written by another window. Nothing was changed; try again.',
      'saved',
      'two\n',
    ]);
  });

  it('does not overwrite what an editor saved at the same moment', async () => {
    const disks = new MemoryDisks();
    await add(disks.files(), 'one');
    disks.intervene = ({ kind, path }) => {
      if (kind !== 'sync' || !path.endsWith('.tmp')) return undefined;
      disks.intervene = () => undefined;
      disks.put(notes, 'by hand');
      return undefined;
    };
    await expect(add(disks.files(), 'two')).rejects.toThrow('was changed by something else at the same moment');
    expect([disks.text(notes), disks.disk.list('/workspace')]).toEqual(['by hand', ['MEMORY.md']]);
  });

  it.each<[string, string | Uint8Array]>([
    ['an entry longer than the file may be', 'x'.repeat(2201)],
    ['text that is not UTF-8', new Uint8Array([0x61, 0xff, 0xfe, 0x62])],
  ])('is not rewritten if it was changed into %s: a copy is kept, once', async (_name, content) => {
    const disks = new MemoryDisks();
    disks.put(notes, content);
    const before = disks.text(notes);
    for (let time = 0; time < 3; time++)
      await expect(add(disks.files(), 'two')).rejects.toThrow(
        /a copy is in MEMORY\.md\.bak\.\d{8}T\d{9}Z\. Ask the person/,
      );
    const copies = disks.disk.list('/workspace').filter((name) => name.includes('.bak.'));
    expect([disks.text(notes), copies.length, disks.text(`/workspace/${copies[0]}`)]).toEqual([before, 1, before]);
  });

  it.each([
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
    ['rename', 'EACCES'],
  ])('stays unchanged if the disk refuses to %s, and reports it', async (kind, errno) => {
    const disks = new MemoryDisks();
    await add(disks.files(), 'one');
    disks.intervene = (operation) => (operation.kind === kind && operation.path.includes('.tmp') ? errno : undefined);
    await expect(add(disks.files(), 'two')).rejects.toThrow(new RegExp(`MEMORY\\.md couldn’t be \\w+ \\(${errno}\\)`));
    disks.intervene = () => undefined;
    expect([disks.text(notes), disks.disk.list('/workspace')]).toEqual(['one\n', ['MEMORY.md']]);
  });
});
