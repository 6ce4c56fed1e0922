import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { CompactLog } from '../../../../src/store/engine/compactLog';
import { FileSystemError, type OpenFile } from '../../../../src/store/engine/fileSystem';
import { MemoryFileSystem } from '../../../../src/store/engine/memoryFileSystem';
import fc from '../../../support/seededFastCheck';

const pageSize = 512;
const frameBytes = 24 + pageSize;

/** The log as a plain file would have it. */
class PlainBytes {
  private bytes = new Uint8Array(1024);
  private length = 0;

  get content(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  write(from: Uint8Array, position: number): void {
    this.length = Math.max(this.length, position + from.length);
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(this.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.set(from, position);
  }
}

/** A file whose writes can be refused after a part of them. */
class RefusingFile {
  refusesAfter: number | null = null;

  constructor(readonly file: OpenFile) {}

  open(): OpenFile {
    const { file } = this;
    return {
      read: (into, position) => file.read(into, position),
      write: (from, position) => {
        const { refusesAfter } = this;
        if (refusesAfter === null) return file.write(from, position);
        file.write(from.subarray(0, refusesAfter), position);
        throw new FileSystemError('ENOSPC', 'write', 'log');
      },
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      size: () => file.size(),
      identity: () => file.identity(),
      isUnlinked: () => file.isUnlinked(),
      close: () => undefined,
    };
  }
}

const logHeader = (salt: number): Uint8Array => {
  const header = new Uint8Array(32);
  const view = new DataView(header.buffer);
  view.setUint32(0, 0x377f0682);
  view.setUint32(8, pageSize);
  view.setUint32(16, salt);
  return header;
};
const frameHeader = (page: number, salt: number): Uint8Array => {
  const header = new Uint8Array(24);
  new DataView(header.buffer).setUint32(0, page);
  new DataView(header.buffer).setUint32(8, salt);
  return header;
};
const contentOf = (log: OpenFile): Uint8Array => {
  const bytes = new Uint8Array(log.size());
  expect(log.read(bytes, 0)).toBe(bytes.length);
  return bytes;
};
const newFile = (): OpenFile => new MemoryFileSystem().open('/log', 'create');

/** A page, as changes of the page that was there before. */
const change = fc.array(fc.tuple(fc.nat(pageSize - 1), fc.uint8Array({ minLength: 1, maxLength: 40 })), {
  maxLength: 6,
});
const step = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ kind: fc.constant('frame' as const), page: fc.integer({ min: 1, max: 6 }), change }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('back' as const), frames: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rewrite' as const), frame: fc.nat(5), change }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('empty' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refused' as const), after: fc.nat(600) }) },
);

/** SQLite's side of a log: frames behind each other, and what a plain file would hold. */
class Writer {
  private readonly disk = new RefusingFile(newFile());
  log = new CompactLog(this.disk.open());
  private plain = new PlainBytes();
  private readonly pages = new Map<number, Uint8Array>();
  private next = 0;
  private salt = 0;
  /** What a reader may find: the log at each flush since it began. */
  readonly flushed: Uint8Array[] = [];

  get file(): OpenFile {
    return this.disk.file;
  }

  begin(): void {
    this.flush();
    this.plain = new PlainBytes();
    this.next = 0;
    this.salt++;
    this.write(logHeader(this.salt), 0);
    this.flush();
    this.flushed.splice(0, this.flushed.length - 1);
  }

  frame(page: number, changes: readonly (readonly [number, Uint8Array])[]): void {
    const content = changed(this.pages.get(page) ?? new Uint8Array(pageSize), changes);
    this.pages.set(page, content);
    const position = 32 + this.next++ * frameBytes;
    this.write(frameHeader(page, this.salt), position);
    this.write(content, position + 24);
  }

  /** Frames that were not committed are written over. */
  back(frames: number): void {
    this.flush();
    this.next = Math.max(0, this.next - frames);
  }

  /** SQLite writes a page again that the same transaction has in the log, and its header at the end. */
  rewrite(frame: number, changes: readonly (readonly [number, Uint8Array])[]): void {
    if (frame >= this.next) return;
    const position = 32 + frame * frameBytes;
    this.write(changed(this.plain.content.slice(position + 24, position + frameBytes), changes), position + 24);
    this.write(frameHeader(1 + (frame % 6), this.salt), position);
  }

  flush(): void {
    this.log.flush();
    this.flushed.push(this.plain.content.slice());
  }

  empty(): void {
    this.flush();
    this.log.truncate(0);
    this.begin();
  }

  /** What was added since the last flush is lost, and written again. */
  refused(after: number): void {
    this.flush();
    const last = this.next;
    this.frame(1, [[0, Uint8Array.of(after & 0xff, 1)]]);
    this.frame(2, [[9, Uint8Array.of(after & 0xff, 2)]]);
    this.disk.refusesAfter = after;
    expect(() => this.log.flush()).toThrow('ENOSPC');
    this.disk.refusesAfter = null;
    this.next = last;
    this.frame(2, []);
    this.frame(1, []);
    this.flush();
  }

  reopen(): void {
    this.flush();
    this.log = new CompactLog(this.disk.open());
  }

  check(): void {
    const found = contentOf(this.log);
    expect([found.length, Buffer.compare(found, this.plain.content)]).toEqual([this.plain.content.length, 0]);
  }

  private write(from: Uint8Array, position: number): void {
    this.log.write(from, position);
    this.plain.write(from, position);
  }
}

function changed(before: Uint8Array, changes: readonly (readonly [number, Uint8Array])[]): Uint8Array {
  const after = before.slice();
  for (const [at, bytes] of changes) after.set(bytes.subarray(0, pageSize - at), at);
  return after;
}

function run(steps: readonly Step[]): Writer {
  const writer = new Writer();
  writer.begin();
  for (const one of steps) {
    if (one.kind === 'frame') writer.frame(one.page, one.change);
    else if (one.kind === 'back') writer.back(one.frames);
    else if (one.kind === 'rewrite') writer.rewrite(one.frame, one.change);
    else if (one.kind === 'refused') writer.refused(one.after);
    else writer[one.kind]();
  }
  return writer;
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('a log reads as it was written, also after it was opened again, began anew, or could not be written for a while', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const writer = run(steps);
      writer.check();
      writer.reopen();
      writer.check();
    }),
    { numRuns: 400 },
  );
});

test('a log that lost its end reads as it was at one of its flushes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), (steps, cut) => {
      const writer = run(steps);
      writer.flush();
      const { file } = writer;
      const end = file.size();
      const lost = cut % end;
      const copy = newFile();
      const bytes = new Uint8Array(end - lost);
      file.read(bytes, 0);
      copy.write(bytes, 0);
      const found = contentOf(new CompactLog(copy));
      const isFlushed = writer.flushed.some(
        (one) => one.length >= found.length && Buffer.compare(one.subarray(0, found.length), found) === 0,
      );
      expect(found.length === 0 || isFlushed).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a changed byte ends the log before it', () => {
  const writer = run([]);
  for (let n = 0; n < 20; n++) {
    writer.frame(1 + (n % 3), [[n * 5, Uint8Array.of(n)]]);
    writer.flush();
  }
  const whole = contentOf(writer.log);
  const byte = new Uint8Array(1);
  for (let at = 0; at < writer.file.size(); at += 37) {
    writer.file.read(byte, at);
    writer.file.write(Uint8Array.of((byte[0] ?? 0) ^ 1), at);
    // Another first byte makes it SQLite's own form, in which nothing is hidden and SQLite refuses it.
    if (at >= 8) {
      const found = contentOf(new CompactLog(writer.file));
      expect(found.length).toBeLessThan(whole.length);
      expect(found).toEqual(whole.subarray(0, found.length));
    }
    writer.file.write(byte, at);
  }
});

/** A log of one record with these entries, whose checksum fits. */
function crafted(...entries: readonly Uint8Array[]): OpenFile {
  const file = newFile();
  const record = Buffer.concat(entries);
  const start = Buffer.alloc(8);
  start.writeUInt32BE(record.length, 0);
  start.writeUInt32BE(crc32(record), 4);
  file.write(Buffer.concat([Buffer.from('HRMSLOG1'), start, record]), 0);
  return file;
}
const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
};
const headerOf = (size: number): Buffer => {
  const header = Buffer.from(logHeader(1));
  header.writeUInt32BE(size, 8);
  return Buffer.concat([Buffer.of(1), header]);
};
const header = headerOf(pageSize);
const frame = Buffer.concat([frameHeader(1, 1), new Uint8Array(pageSize)]);
const mostPage = 0xffff_fe00;

test.each([
  ['an unknown entry', [header, Buffer.of(9)]],
  ['no header before its frames', [Buffer.of(2), numbers(0), frame]],
  ['a page size of 4 GB', [headerOf(mostPage), Buffer.of(2), numbers(0), frame]],
  ['a page size of 0', [headerOf(0), Buffer.of(4), numbers(0, 32, 1), Buffer.of(1)]],
  ['a frame far behind the others', [header, Buffer.of(2), numbers(0xffff_ffff), frame]],
  ['bytes far behind the others', [header, Buffer.of(4), numbers(0x1f_ffff, 0, 1), Buffer.of(1)]],
  ['a frame that is cut off', [header, Buffer.of(2), numbers(0), frame.subarray(0, 100)]],
  ['bytes that are cut off', [header, Buffer.of(4), numbers(0, 32, 1000), Buffer.of(1)]],
  ['changes of a page that it does not have', [header, Buffer.of(3), numbers(0), frameHeader(7, 1), Buffer.of(0, 0)]],
  [
    'changes behind the end of their page',
    [
      header,
      Buffer.concat([Buffer.of(2), numbers(0), frame]),
      Buffer.concat([Buffer.of(3), numbers(1), frameHeader(1, 1), Buffer.of(0, 6), Buffer.of(2, 0, 0, 2, 1, 1)]),
    ],
  ],
] as const)('a crafted log with %s is read up to there, at once, and can be begun anew', (_, entries) => {
  const file = crafted(...entries);
  const log = new CompactLog(file);
  expect(log.size()).toBeLessThanOrEqual(32 + 2 * frameBytes);
  contentOf(log);
  log.write(logHeader(2), 0);
  log.flush();
  expect(contentOf(new CompactLog(file))).toEqual(logHeader(2));
});
