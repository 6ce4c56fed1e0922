import { openLog } from '../engine/earlierLog';
import { readOpen, type FileSystem } from '../engine/fileSystem';
import { logLayout } from '../engine/sqliteAbi';

const { header: headerBytes, frameHeader: frameHeaderBytes } = logLayout;
const littleEndianMagic = 0x377f0682;

/** The committed content of a write-ahead log. */
export interface LogPages {
  /** Newest committed content of each page, by page number. */
  readonly pages: ReadonlyMap<number, Uint8Array>;
  readonly pageSize: number;
  /** Size of the whole database after the last commit, in pages. */
  readonly databasePages: number;
}

/** Reads a log as SQLite's recovery does: every complete commit, by salts and checksums, and nothing after the first
 *  frame that does not match. `checks` = `salts`: reads a damaged log as far as its frames belong together. Undefined
 *  when there is no log or it has no commit. Layout: sqlite.org/fileformat2.html, section 4. */
export function readLog(
  fileSystem: FileSystem,
  path: string,
  checks: 'checksums' | 'salts' = 'checksums',
): LogPages | undefined {
  if ((fileSystem.stat(path)?.size ?? 0) <= headerBytes) return undefined;
  const file = openLog(fileSystem, path);
  try {
    return logPages(readOpen(file), checks === 'checksums');
  } finally {
    file.close();
  }
}

function logPages(log: Uint8Array, isStrict: boolean): LogPages | undefined {
  if (log.length <= headerBytes) return undefined;
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const magic = view.getUint32(0);
  const isLittle = magic === littleEndianMagic;
  const pageSize = view.getUint32(8);
  if ((!isLittle && magic !== littleEndianMagic + 1) || pageSize < 512 || pageSize > 65_536) return undefined;
  let sum = checksum(view, 0, headerBytes - 8, isLittle, [0, 0]);
  if (isStrict && !matches(view, headerBytes - 8, sum)) return undefined;
  const pages = new Map<number, Uint8Array>();
  let uncommitted: (readonly [page: number, content: Uint8Array])[] = [];
  let databasePages = 0;
  for (let at = headerBytes; at + frameHeaderBytes + pageSize <= log.length; at += frameHeaderBytes + pageSize) {
    if (view.getUint32(at + 8) !== view.getUint32(16) || view.getUint32(at + 12) !== view.getUint32(20)) break;
    const content = at + frameHeaderBytes;
    if (isStrict) {
      sum = checksum(view, content, pageSize, isLittle, checksum(view, at, 8, isLittle, sum));
      if (!matches(view, at + 16, sum)) break;
    }
    uncommitted.push([view.getUint32(at), log.subarray(content, content + pageSize)]);
    const pagesAfterCommit = view.getUint32(at + 4);
    if (pagesAfterCommit === 0) continue;
    for (const [page, bytes] of uncommitted) pages.set(page, bytes);
    uncommitted = [];
    databasePages = pagesAfterCommit;
  }
  return databasePages === 0 ? undefined : { pages, pageSize, databasePages };
}

type Checksum = readonly [number, number];

function checksum(view: DataView, from: number, bytes: number, isLittle: boolean, start: Checksum): Checksum {
  let [one, two] = start;
  for (let at = from; at < from + bytes; at += 8) {
    one = (one + view.getUint32(at, isLittle) + two) >>> 0;
    two = (two + view.getUint32(at + 4, isLittle) + one) >>> 0;
  }
  return [one, two];
}

function matches(view: DataView, at: number, [one, two]: Checksum): boolean {
  return view.getUint32(at) === one && view.getUint32(at + 4) === two;
}
