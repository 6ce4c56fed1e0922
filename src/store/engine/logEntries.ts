import type { LogImage } from './logImage';
import { withChangedBytes } from './pageDelta';
import { logLayout } from './sqliteAbi';

const { header: headerBytes, frameHeader: frameHeaderBytes } = logLayout;

/** First byte of each entry of a record (compactLog.ts). */
export const entry = { header: 1, frame: 2, changes: 3, bytes: 4 } as const;

/** Bytes of the log that are kept in memory. Frames behind them are read from the file, and no later frame is stored as
 *  what changed in them. */
export const keptBytes = 16 << 20;

/** Applies the entries of a record to the image. `start`: where they begin in the file. False for a record that
 *  `CompactLog` does not write. Then a part of it may be in the image, whose frames SQLite refuses by its own
 *  checksums. */
export function replayRecord(image: LogImage, entries: Uint8Array, start: number): boolean {
  try {
    for (let at = 0; at < entries.length;) at = replayEntry(image, entries, at, start);
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    image.forgetNewest();
    return false;
  }
}

/** Returns where the entry ends. Throws a `RangeError` for one that cannot be. */
function replayEntry(image: LogImage, entries: Uint8Array, start: number, file: number): number {
  const view = viewOf(entries);
  const at = start + 1;
  switch (entries[start]) {
    case entry.header:
      image.begin(part(entries, at, headerBytes));
      requireThat(isPageSize(image.pageSize));
      return at + headerBytes;
    case entry.bytes: {
      const position = Number(view.getBigUint64(at));
      const bytes = part(entries, at + 12, view.getUint32(at + 8));
      requireThat(image.size >= headerBytes && position <= image.size);
      image.patch(bytes, position);
      return at + 12 + bytes.length;
    }
    case entry.frame:
    case entry.changes:
      return replayFrame(image, entries, at, file);
    default:
      throw new RangeError('there is no such entry');
  }
}

function replayFrame(image: LogImage, entries: Uint8Array, at: number, file: number): number {
  const view = viewOf(entries);
  const index = view.getUint32(at);
  const page = view.getUint32(at + 4);
  const position = headerBytes + index * (frameHeaderBytes + image.pageSize);
  requireThat(image.size >= headerBytes && position <= image.size);
  if (entries[at - 1] === entry.frame) {
    const frame = part(entries, at + 4, frameHeaderBytes + image.pageSize);
    if (position < keptBytes) image.put(index, page, frame.slice());
    else image.put(index, null, file + at + 4);
    return at + 4 + frame.length;
  }
  const header = part(entries, at + 4, frameHeaderBytes);
  const content = at + 4 + frameHeaderBytes;
  const changes = part(entries, content + 2, view.getUint16(content));
  const before = image.newestOf(page);
  requireThat(position < keptBytes && before !== null);
  if (before !== null) image.put(index, page, joined(header, withChangedBytes(before, changes)));
  return content + 2 + changes.length;
}

function part(entries: Uint8Array, from: number, length: number): Uint8Array {
  requireThat(from + length <= entries.length);
  return entries.subarray(from, from + length);
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && Number.isInteger(Math.log2(bytes));
}

function requireThat(holds: boolean): void {
  if (!holds) throw new RangeError('an entry is not as it is written');
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function joined(header: Uint8Array, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(header.length + content.length);
  frame.set(header);
  frame.set(content, header.length);
  return frame;
}
