import { expect, test } from 'vitest';
import { GatheredWrites } from '../../../../src/store/engine/gatheredWrites';
import { FileSystemError, type OpenFile } from '../../../../src/store/engine/fileSystem';

/** A file that notes what was written where. */
class NotedFile implements OpenFile {
  readonly writes: { readonly at: number; readonly bytes: readonly number[] }[] = [];
  full = false;

  write(from: Uint8Array, position: number): void {
    if (this.full) throw new FileSystemError('ENOSPC', 'write', 'log');
    this.writes.push({ at: position, bytes: [...from] });
  }
  read = (): number => 0;
  truncate = (): void => undefined;
  sync = (): void => undefined;
  size = (): number => 0;
  identity = (): string => 'noted';
  isUnlinked = (): boolean => false;
  close = (): void => undefined;
}

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

test('consecutive writes reach the disk as one, in order, on flush', () => {
  const file = new NotedFile();
  const gathered = new GatheredWrites(file);
  gathered.write(bytes(1, 2), 10);
  gathered.write(bytes(3), 12);
  expect(file.writes).toEqual([]);
  gathered.flush();
  gathered.flush();
  expect(file.writes).toEqual([{ at: 10, bytes: [1, 2, 3] }]);
});

test('a write elsewhere is placed after the earlier ones, so that the last one wins', () => {
  const file = new NotedFile();
  const gathered = new GatheredWrites(file);
  gathered.write(bytes(1, 2), 10);
  gathered.write(bytes(9), 10);
  gathered.flush();
  expect(file.writes).toEqual([
    { at: 10, bytes: [1, 2] },
    { at: 10, bytes: [9] },
  ]);
});

test('a caller may change its buffer before the flush', () => {
  const file = new NotedFile();
  const gathered = new GatheredWrites(file);
  const memory = bytes(5);
  gathered.write(memory, 0);
  memory.fill(0);
  gathered.flush();
  expect(file.writes).toEqual([{ at: 0, bytes: [5] }]);
});

test('a large flush goes to the disk in pieces, every byte of it', () => {
  const file = new NotedFile();
  const gathered = new GatheredWrites(file);
  const page = new Uint8Array(4096).fill(7);
  for (let at = 0; at < 700 * page.length; at += page.length) gathered.write(page, at);
  gathered.flush();
  expect(file.writes.length).toBeLessThan(10);
  expect(file.writes.reduce((sum, write) => sum + write.bytes.length, 0)).toBe(700 * page.length);
  expect(
    file.writes.every(
      ({ at }, index) =>
        index === 0 || at === (file.writes[index - 1]?.at ?? 0) + (file.writes[index - 1]?.bytes.length ?? 0),
    ),
  ).toBe(true);
});

test('a write that a full disk refused is not repeated later, after SQLite has rolled it back', () => {
  const file = new NotedFile();
  const gathered = new GatheredWrites(file);
  gathered.write(bytes(1), 0);
  file.full = true;
  expect(() => gathered.flush()).toThrow('ENOSPC');
  file.full = false;
  gathered.write(bytes(2), 8);
  gathered.flush();
  expect(file.writes).toEqual([{ at: 8, bytes: [2] }]);
});
