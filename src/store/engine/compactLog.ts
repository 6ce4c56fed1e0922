import { crc32 } from 'node:zlib';
import type { FileSystem, OpenFile } from './fileSystem';
import { entry, joined, keptBytes, replayRecord, viewOf } from './logEntries';
import { LogImage } from './logImage';
import { changedBytes } from './pageDelta';
import { logLayout } from './sqliteAbi';

const { header: headerBytes, frameHeader: frameHeaderBytes } = logLayout;

/** First bytes of a log in this form. SQLite's own begins with another number. */
const magic = Uint8Array.from(Buffer.from('HRMSLOG1'));
/** Length and checksum. */
const recordHeaderBytes = 8;
/** Bytes after which a record is written. More than a turn writes; a larger transaction takes several records. */
const fullRecord = 1 << 20;
/** Bytes. No record is longer. */
const longestRecord = fullRecord + (1 << 17);
/** SQLite's write-ahead log, stored in fewer bytes: of a page that the log has already, only what changed. SQLite sees
 *  the log as it wrote it. On disk it is a chain of records, one for each time that SQLite's writes had to reach the
 *  disk:
 *
 *      length (4 bytes), CRC-32 of the entries, continued from the record before (4), entries
 *      entry: 1, header of the log (32)                    a new log; only as the first entry of the file
 *             2, frame number (4), frame header (24), page
 *             3, frame number (4), frame header (24), length (2), changes since the newest frame of that page
 *             4, position (8), length (4), bytes           anything else that SQLite writes
 *
 *  Bytes after the last record with a correct checksum were not completely written, or belong to an earlier log. A log
 *  in SQLite's own form is read and continued in that form until SQLite begins a new one. */
export class CompactLog implements OpenFile {
  private readonly image = new LogImage((into, at) => this.file.read(into, at));
  private isPlain = false;
  /** Place of the next record, and the checksum of the last one. */
  private end = 0;
  private sum = 0;
  private record = new Uint8Array(1 << 16);
  private length = recordHeaderBytes;
  private beginsFile = false;
  /** A frame header that was written, and whose page comes next. */
  private announced: { readonly header: Uint8Array; readonly position: number } | null = null;
  /** Frames of the record that are in the image as bytes until the file has them. */
  private stored: { readonly index: number; readonly within: number }[] = [];

  constructor(private readonly file: OpenFile) {
    const start = new Uint8Array(magic.length);
    const found = file.read(start, 0);
    this.isPlain = start.subarray(0, found).some((byte, index) => byte !== magic[index]);
    if (!this.isPlain) this.load();
  }

  write(from: Uint8Array, position: number): void {
    if (position === 0 && from.length === headerBytes) return this.begin(from);
    if (this.isPlain) return this.file.write(from, position);
    const { announced } = this;
    if (
      announced !== null &&
      position === announced.position + frameHeaderBytes &&
      from.length === this.image.pageSize
    ) {
      this.announced = null;
      return this.addFrame(announced.header, from, announced.position);
    }
    this.addAnnounced();
    if (from.length === frameHeaderBytes && this.image.frameAt(position) !== null)
      this.announced = { header: from.slice(), position };
    else this.addBytes(from, position);
  }

  read(into: Uint8Array, position: number): number {
    this.addAnnounced();
    return this.isPlain ? this.file.read(into, position) : this.image.read(into, position);
  }

  size(): number {
    this.addAnnounced();
    return this.isPlain ? this.file.size() : this.image.size;
  }

  /** Must be flushed. */
  truncate(size: number): void {
    if (this.isPlain || size === 0) {
      this.file.truncate(size);
      if (size === 0) this.forgetAll();
      return;
    }
    this.image.cut(size);
    // Records of an earlier log; those of this one stay, and SQLite ignores the frames that it cuts off.
    this.file.truncate(this.end);
  }

  /** Must be flushed. */
  sync(): void {
    this.file.sync();
  }

  /** Writes what was added since the last time to the disk, in one piece. Throws the disk's error. What was added is
   *  lost then: a part of it may be on disk, as after any failed write. */
  flush(): void {
    this.addAnnounced();
    const { length, stored, beginsFile } = this;
    if (length === recordHeaderBytes) return;
    this.length = recordHeaderBytes;
    this.stored = [];
    this.beginsFile = false;
    const record = this.record.subarray(0, length);
    const sum = crc32(record.subarray(recordHeaderBytes), beginsFile ? 0 : this.sum);
    const view = viewOf(record);
    view.setUint32(0, length - recordHeaderBytes);
    view.setUint32(4, sum);
    const at = beginsFile ? magic.length : this.end;
    try {
      if (beginsFile) this.file.write(Buffer.concat([magic, record]), 0);
      else this.file.write(record, at);
    } catch (error) {
      // The image has frames that the file may lack.
      this.image.forgetNewest();
      throw error;
    }
    this.end = at + length;
    this.sum = sum;
    for (const { index, within } of stored) this.image.put(index, null, at + within);
  }

  identity(): string {
    return this.file.identity();
  }

  isUnlinked(): boolean {
    return this.file.isUnlinked();
  }

  /** Bytes that were not flushed were never committed. */
  close(): void {
    this.file.close();
  }

  private begin(header: Uint8Array): void {
    this.announced = null;
    this.length = recordHeaderBytes;
    this.stored = [];
    this.isPlain = false;
    this.beginsFile = true;
    this.image.begin(header);
    this.add(entry.header, header);
  }

  /** For a frame header that is written without its page. */
  private addAnnounced(): void {
    if (this.announced === null) return;
    const { header, position } = this.announced;
    this.announced = null;
    this.addBytes(header, position);
  }

  private addFrame(header: Uint8Array, content: Uint8Array, position: number): void {
    const index = this.image.frameAt(position) ?? 0;
    const page = viewOf(header).getUint32(0);
    const isKept = position < keptBytes;
    const before = isKept ? this.image.newestOf(page) : null;
    const changes = before === null ? null : changedBytes(before, content, content.length >> 1);
    if (changes === null) this.add(entry.frame, uint32(index), header, content);
    else this.add(entry.changes, uint32(index), header, uint16(changes.length), changes);
    const within = this.length - header.length - content.length;
    if (!isKept) this.stored.push({ index, within });
    this.image.put(index, isKept ? page : null, joined(header, content));
    if (this.length >= fullRecord) this.flush();
  }

  private addBytes(from: Uint8Array, position: number): void {
    for (let done = 0; done < from.length; done += fullRecord) {
      const part = from.subarray(done, done + fullRecord);
      this.image.patch(part, position + done);
      this.add(entry.bytes, uint64(position + done), uint32(part.length), part);
      if (this.length >= fullRecord) this.flush();
    }
  }

  private add(kind: number, ...parts: readonly Uint8Array[]): void {
    const needed = this.length + 1 + parts.reduce((sum, { length }) => sum + length, 0);
    if (needed > this.record.length) {
      const larger = new Uint8Array(Math.max(needed, this.record.length * 2));
      larger.set(this.record.subarray(0, this.length));
      this.record = larger;
    }
    this.record[this.length++] = kind;
    for (const part of parts) {
      this.record.set(part, this.length);
      this.length += part.length;
    }
  }

  private forgetAll(): void {
    this.isPlain = false;
    this.end = 0;
    this.sum = 0;
    this.image.clear();
  }

  private load(): void {
    const header = new Uint8Array(recordHeaderBytes);
    for (let at = magic.length; this.file.read(header, at) === recordHeaderBytes; at = this.end) {
      const length = viewOf(header).getUint32(0);
      if (length === 0 || length > longestRecord) return;
      const entries = new Uint8Array(length);
      if (this.file.read(entries, at + recordHeaderBytes) < length) return;
      const sum = crc32(entries, at === magic.length ? 0 : this.sum);
      if (sum !== viewOf(header).getUint32(4)) return;
      if (!replayRecord(this.image, entries, at + recordHeaderBytes)) return;
      this.end = at + recordHeaderBytes + length;
      this.sum = sum;
    }
  }
}

/** Opens a log for reading, as SQLite wrote it. */
export function openLog(fileSystem: FileSystem, path: string): OpenFile {
  const file = fileSystem.open(path, 'read');
  try {
    return new CompactLog(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The bytes of a log as SQLite wrote it. */
export function readLogWhole(fileSystem: FileSystem, path: string): Uint8Array {
  const log = openLog(fileSystem, path);
  try {
    const bytes = new Uint8Array(log.size());
    return bytes.subarray(0, log.read(bytes, 0));
  } finally {
    log.close();
  }
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  viewOf(bytes).setBigUint64(0, BigInt(value));
  return bytes;
}
