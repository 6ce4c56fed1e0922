import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { CompactLog } from '../../../../src/store/engine/compactLog';
import type { OpenFile } from '../../../../src/store/engine/fileSystem';
import { MemoryFileSystem } from '../../../../src/store/engine/memoryFileSystem';

const pageSize = 512;
const frameBytes = 24 + pageSize;

const logHeader = (salt: number, size = pageSize): Buffer => {
  const header = Buffer.alloc(32);
  header.writeUInt32BE(0x377f0682, 0);
  header.writeUInt32BE(size, 8);
  header.writeUInt32BE(salt, 16);
  return header;
};
const frameHeader = (page: number): Buffer => {
  const header = Buffer.alloc(24);
  header.writeUInt32BE(page, 0);
  header.writeUInt32BE(1, 8);
  return header;
};
const contentOf = (log: OpenFile): Uint8Array => {
  const bytes = new Uint8Array(log.size());
  expect(log.read(bytes, 0)).toBe(bytes.length);
  return bytes;
};
const newFile = (content: Uint8Array = new Uint8Array(0)): OpenFile => {
  const file = new MemoryFileSystem().open('/log', 'create');
  file.write(content, 0);
  return file;
};

/** A file with twenty frames of three pages that change a little, and the log at each of its flushes. */
function written(): { readonly bytes: Uint8Array; readonly flushed: readonly Uint8Array[] } {
  const file = newFile();
  const log = new CompactLog(file);
  log.write(logHeader(1), 0);
  const flushed: Uint8Array[] = [];
  for (let n = 0; n < 20; n++) {
    log.write(frameHeader(1 + (n % 3)), 32 + n * frameBytes);
    log.write(new Uint8Array(pageSize).fill(n, n * 5, n * 5 + 1), 56 + n * frameBytes);
    log.flush();
    flushed.push(contentOf(log));
  }
  return { bytes: contentOf(file), flushed };
}

test('a log is read as it was written; one that lost its end, or has a changed byte, as it was at an earlier flush', () => {
  const { bytes, flushed } = written();
  const whole = flushed.at(-1) ?? new Uint8Array(0);
  expect(contentOf(new CompactLog(newFile(bytes)))).toEqual(whole);
  for (let at = 8; at < bytes.length; at += 11) {
    const changed = bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));
    for (const damaged of [bytes.subarray(0, at), changed]) {
      const found = contentOf(new CompactLog(newFile(damaged)));
      const isFlushed = found.length === 0 || flushed.some(({ length }) => length === found.length);
      expect([at, isFlushed, found.length < whole.length]).toEqual([at, true, true]);
      expect(found).toEqual(whole.subarray(0, found.length));
    }
  }
});

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
};
const headerOf = (size: number): Buffer => Buffer.concat([Buffer.of(1), logHeader(1, size)]);
const header = headerOf(pageSize);
const frame = Buffer.concat([frameHeader(1), new Uint8Array(pageSize)]);

test.each([
  ['an unknown entry', [header, Buffer.of(9)]],
  ['no header before its frames', [Buffer.of(2), numbers(0), frame]],
  ['a page size of 4 GB', [headerOf(0xffff_fe00), Buffer.of(2), numbers(0), frame]],
  ['a frame far behind the others', [header, Buffer.of(2), numbers(0xffff_ffff), frame]],
  ['bytes far behind the others', [header, Buffer.of(4), numbers(0x1f_ffff, 0, 1), Buffer.of(1)]],
  ['bytes that are cut off', [header, Buffer.of(4), numbers(0, 32, 1000), Buffer.of(1)]],
  ['changes of a page that it does not have', [header, Buffer.of(3), numbers(0), frameHeader(7), Buffer.of(0, 0)]],
])('a log with a right checksum and %s is read up to there, and can be written again', (_, entries) => {
  const record = Buffer.concat(entries);
  const file = newFile(Buffer.concat([Buffer.from('HRMSLOG1'), numbers(record.length, crc32(record)), record]));
  const log = new CompactLog(file);
  expect(log.size()).toBeLessThanOrEqual(32 + 2 * frameBytes);
  contentOf(log);
  log.write(logHeader(2), 0);
  log.flush();
  expect(contentOf(new CompactLog(file))).toEqual(new Uint8Array(logHeader(2)));
});
