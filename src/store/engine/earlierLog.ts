import { crc32 } from 'node:zlib';
import { type FileSystem, type OpenFile, ReadOnlyFile, readOpen, replaceFile } from './fileSystem';
import { logLayout } from './sqliteAbi';

const { header: headerBytes, frameHeader: frameHeaderBytes } = logLayout;

/** First bytes of a log as builds of November 2026 wrote it. SQLite's own begins with another number. */
const magic = Buffer.from('HRMSLOG1');
/** Length and checksum of a record. */
const recordHeaderBytes = 8;
/** Frames behind these bytes of the log are never what a later one differs from. */
const comparedBytes = 16 << 20;
const longestRecord = (1 << 20) + (1 << 17);
/** First byte of each entry of a record. */
const entry = { header: 1, frame: 2, changes: 3, bytes: 4 } as const;

/** Opens a log for reading in SQLite's own form. One of an earlier build is decoded in memory. */
export function openLog(fileSystem: FileSystem, path: string): OpenFile {
  const log = fileSystem.open(path, 'read');
  try {
    if (!isEarlier(log)) return log;
    const decoded = new DecodedLog(log.identity());
    decode(log, decoded);
    log.close();
    return decoded;
  } catch (error) {
    log.close();
    throw error;
  }
}

/** Replaces a log of an earlier build by the same one in SQLite's own form, in one step: a crash leaves either of them.
 *  Call before SQLite opens the log for writing, because SQLite would take the earlier form for an empty log. */
export function convertEarlierLog(fileSystem: FileSystem, path: string): void {
  if ((fileSystem.stat(path)?.size ?? 0) === 0) return;
  const log = openLog(fileSystem, path);
  const converted = log instanceof DecodedLog ? readOpen(log) : null;
  log.close();
  if (converted !== null) replaceFile(fileSystem, path, converted);
}

function isEarlier(log: OpenFile): boolean {
  const start = new Uint8Array(magic.length);
  return log.read(start, 0) === magic.length && magic.equals(start);
}

/** Writes the log as SQLite wrote it to an empty file. The earlier form is a chain of records, one for each time that
 *  SQLite's writes had to reach the disk:
 *
 *      length (4 bytes), CRC-32 of the entries, continued from the record before (4), entries
 *      entry: 1, header of the log (32)                    only as the first entry of the file
 *             2, frame number (4), frame header (24), page
 *             3, frame number (4), frame header (24), length (2), changes since the newest frame of that page
 *             4, position (8), length (4), bytes           anything else that SQLite wrote
 *
 *  Bytes after the last record with a correct checksum were never acknowledged. */
function decode(log: OpenFile, to: DecodedLog): void {
  const decoder = new Decoder(to);
  const header = new Uint8Array(recordHeaderBytes);
  let sum = 0;
  for (let at = magic.length; log.read(header, at) === recordHeaderBytes;) {
    const length = viewOf(header).getUint32(0);
    if (length === 0 || length > longestRecord) return;
    const entries = new Uint8Array(length);
    if (log.read(entries, at + recordHeaderBytes) < length) return;
    sum = crc32(entries, sum);
    if (sum !== viewOf(header).getUint32(4) || !decoder.add(entries)) return;
    at += recordHeaderBytes + length;
  }
}

class Decoder {
  /** Position of the newest frame of each page. */
  private readonly newest = new Map<number, number>();
  private pageSize = 0;

  constructor(private readonly to: DecodedLog) {}

  /** False for a record that was not written by an earlier build. SQLite refuses its frames. */
  add(entries: Uint8Array): boolean {
    try {
      for (let at = 0; at < entries.length;) at = this.addEntry(entries, at);
      return true;
    } catch (error) {
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  /** Returns where the entry ends. */
  private addEntry(entries: Uint8Array, start: number): number {
    const view = viewOf(entries);
    const at = start + 1;
    switch (entries[start]) {
      case entry.header: {
        const header = part(entries, at, headerBytes);
        this.pageSize = viewOf(header).getUint32(8);
        this.write(header, 0);
        return at + headerBytes;
      }
      case entry.bytes: {
        const bytes = part(entries, at + 12, view.getUint32(at + 8));
        this.write(bytes, Number(view.getBigUint64(at)));
        return at + 12 + bytes.length;
      }
      case entry.frame: {
        const frame = part(entries, at + 4, frameHeaderBytes + this.pageSize);
        this.addFrame(view.getUint32(at), frame);
        return at + 4 + frame.length;
      }
      case entry.changes: {
        const header = part(entries, at + 4, frameHeaderBytes);
        const content = at + 4 + frameHeaderBytes;
        const changes = part(entries, content + 2, view.getUint16(content));
        const before = new Uint8Array(this.pageSize);
        this.to.read(before, (this.newest.get(viewOf(header).getUint32(0)) ?? 0) + frameHeaderBytes);
        this.addFrame(view.getUint32(at), Buffer.concat([header, withChanges(before, changes)]));
        return content + 2 + changes.length;
      }
      default:
        throw new RangeError('there is no such entry');
    }
  }

  private addFrame(index: number, frame: Uint8Array): void {
    const position = headerBytes + index * frame.length;
    this.write(frame, position);
    if (position < comparedBytes) this.newest.set(viewOf(frame).getUint32(0), position);
  }

  private write(bytes: Uint8Array, position: number): void {
    if (position > this.to.size()) throw new RangeError('a gap in the log');
    this.to.add(bytes, position);
  }
}

/** Applies ranges: two bytes for the equal bytes to skip, two for the length, then the bytes. */
function withChanges(page: Uint8Array, changes: Uint8Array): Uint8Array {
  const view = viewOf(changes);
  let at = 0;
  for (let from = 0; from < changes.length;) {
    const length = view.getUint16(from + 2);
    at += view.getUint16(from);
    page.set(part(changes, from + 4, length), at);
    at += length;
    from += 4 + length;
  }
  return page;
}

function part(bytes: Uint8Array, from: number, length: number): Uint8Array {
  if (from + length > bytes.length) throw new RangeError('an entry is cut off');
  return bytes.subarray(from, from + length);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

class DecodedLog extends ReadOnlyFile {
  private content = new Uint8Array(0);
  private length = 0;

  constructor(private readonly id: string) {
    super();
  }

  add(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    if (this.content.length < end) {
      const larger = new Uint8Array(Math.max(end, this.content.length * 2, 4096));
      larger.set(this.content);
      this.content = larger;
    }
    this.content.set(bytes, position);
    this.length = Math.max(this.length, end);
  }

  read(into: Uint8Array, position: number): number {
    const part = this.content.subarray(Math.min(position, this.length), Math.min(position + into.length, this.length));
    into.set(part);
    return part.length;
  }

  size(): number {
    return this.length;
  }

  identity(): string {
    return this.id;
  }
}
