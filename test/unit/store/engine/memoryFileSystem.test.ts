import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { errnoOf, type FileSystem } from '../../../../src/store/engine/fileSystem';
import { MemoryFileSystem } from '../../../../src/store/engine/memoryFileSystem';
import { NodeFileSystem } from '../../../../src/store/engine/nodeFileSystem';

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value);

/** The result of a call, or the errno of its failure. */
function tried(call: () => unknown): unknown {
  try {
    return call() ?? 'done';
  } catch (error) {
    return errnoOf(error);
  }
}

/** Uses every call of a file system in `root`, and returns what each of them answered. */
function steps(disk: FileSystem, root: string): readonly unknown[] {
  const at = (name: string): string => `${root}/deep/${name}`;
  const content = (name: string): readonly number[] => {
    const file = disk.open(at(name), 'read');
    const bytes = filled(16, 255);
    const read = file.read(bytes, 1);
    file.close();
    return [read, ...bytes];
  };
  const early = tried(() => disk.open(at('a'), 'create'));
  disk.makeFolder(`${root}/deep`);
  disk.makeFolder(`${root}/deep`);
  const file = disk.open(at('a'), 'createNew');
  file.write(filled(3, 1), 0);
  file.write(filled(2, 2), 6);
  file.truncate(7);
  file.truncate(9);
  file.sync();
  disk.syncFolder(`${root}/deep`);
  const again = disk.open(at('a'), 'create');
  const written = [content('a'), file.size(), again.identity() === file.identity(), file.isUnlinked()];
  disk.link(at('a'), at('b'));
  const linked = [content('b'), disk.stat(at('a'))?.identity === disk.stat(at('b'))?.identity];
  disk.open(at('c'), 'create').write(filled(1, 7), 0);
  const refused = [
    () => disk.open(at('a'), 'createNew'),
    () => disk.open(at('none'), 'read'),
    () => disk.open(at('none'), 'write'),
    () => disk.link(at('a'), at('c')),
    () => disk.link(at('none'), at('d')),
    () => disk.rename(at('none'), at('d')),
    () => disk.rename(at('c'), `${root}/nowhere/c`),
    () => disk.remove(at('none')),
    () => disk.list(`${root}/nowhere`),
  ].map(tried);
  disk.rename(at('c'), at('a'));
  const replaced = [content('a'), content('b'), file.isUnlinked(), [...disk.list(`${root}/deep`)].sort()];
  disk.remove(at('b'));
  const gone = [
    file.isUnlinked(),
    file.size(),
    disk.stat(at('b')),
    disk.stat(at('a'))?.size,
    disk.stat(`${root}/deep`)?.kind,
  ];
  for (const open of [file, again]) open.close();
  return [early, written, linked, refused, replaced, gone, disk.mayWrite(`${root}/deep`)];
}

it('answers like the file system of the machine', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'memory-file-system-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = new MemoryFileSystem();
  expect(steps(memory, '')).toEqual(steps(new NodeFileSystem(), folder));
});
