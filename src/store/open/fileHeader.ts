import type { FileSystem } from '../engine/fileSystem';
import { readLog } from './logPages';
import type { StoreFiles } from './storeFiles';

/** "HRMS". Marks a SQLite file as ours (SQLite header, offset 68). */
export const applicationId = 0x48524d53;

/** Bytes; for new stores. Those of earlier builds have 4096. A commit writes whole pages to the log, and a piece of an
 *  answer fills a small part of one. */
export const pageSize = 2048;
export const headerSize = 100;

const magic = 'SQLite format 3\0';
const leafTablePage = 0x0d;
const sqliteVersionNumber = 3_054_001;

/** The fields of the first 100 bytes of a SQLite file that the store needs. Layout: sqlite.org/fileformat2.html,
 *  section 1.3. */
export interface FileHeader {
  readonly pageSize: number;
  /** Null when the writer did not update it (SQLite before 3.7). */
  readonly pageCount: number | null;
  readonly userVersion: number;
  readonly applicationId: number;
  /** True when the fields with fixed values have them. */
  readonly sound: boolean;
}

/** Header of the file at this path. Undefined when it is no SQLite file. Throws the disk's error. */
export function readHeader(fileSystem: FileSystem, path: string): FileHeader | undefined {
  const file = fileSystem.open(path, 'read');
  try {
    const bytes = new Uint8Array(headerSize);
    return parseHeader(bytes.subarray(0, file.read(bytes, 0)));
  } finally {
    file.close();
  }
}

/** Undefined when the bytes are not the start of a SQLite file. */
export function parseHeader(bytes: Uint8Array): FileHeader | undefined {
  if (bytes.length < headerSize || new TextDecoder('latin1').decode(bytes.subarray(0, 16)) !== magic) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rawPageSize = view.getUint16(16);
  const size = rawPageSize === 1 ? 65_536 : rawPageSize;
  const journalModes = [view.getUint8(18), view.getUint8(19)];
  const fractions = [view.getUint8(21), view.getUint8(22), view.getUint8(23)].join();
  return {
    pageSize: size,
    pageCount: view.getUint32(24) === view.getUint32(92) ? view.getUint32(28) : null,
    userVersion: view.getInt32(60),
    applicationId: view.getUint32(68),
    sound:
      size >= 512 &&
      (size & (size - 1)) === 0 &&
      journalModes.every((mode) => mode === 1 || mode === 2) &&
      fractions === '64,32,32',
  };
}

/** A complete, valid database without a table, the initial content of a store. It carries our application id from
 *  its first byte on disk, and needs no rollback journal to be made. */
export function emptyDatabase(): Uint8Array {
  const page = new Uint8Array(pageSize);
  const view = new DataView(page.buffer);
  page.set(new TextEncoder().encode(magic), 0);
  view.setUint16(16, pageSize);
  page.set([1, 1, 0, 64, 32, 32], 18);
  view.setUint32(24, 1); // change counter, equal to "version valid for" below: the page count is valid
  view.setUint32(28, 1); // pages
  view.setUint32(44, 4); // schema format
  view.setUint32(56, 1); // UTF-8
  view.setUint32(68, applicationId);
  view.setUint32(92, 1);
  view.setUint32(96, sqliteVersionNumber);
  view.setUint8(100, leafTablePage);
  view.setUint16(105, pageSize); // start of the cell content area: the page is empty
  return page;
}

/** Type of the file at the store's path. Derived from its first 100 bytes, its size and its log, before SQLite
 *  touches it: SQLite would treat an empty file beside a log as new and delete the log, rewrite the header of a
 *  foreign file, and open a truncated one. */
export type FileClass =
  | { readonly kind: 'absent' }
  /** The main file is gone or empty, but a log holds rows. */
  | { readonly kind: 'logOnly' }
  | { readonly kind: 'ours'; readonly header: FileHeader; readonly logBytes: number }
  /** A valid SQLite file of another program. */
  | { readonly kind: 'foreign'; readonly applicationId: number }
  | { readonly kind: 'damaged'; readonly damage: Damage }
  | { readonly kind: 'notAFile' };

/** `empty`: a store is created whole, so another program emptied its file or replaced it with an empty one. */
export type Damage = 'empty' | 'not-sqlite' | 'header' | 'truncated' | 'log-without-file' | 'content';

export function classifyFile(fileSystem: FileSystem, files: StoreFiles): FileClass {
  const stat = fileSystem.stat(files.main);
  const logBytes = fileSystem.stat(files.log)?.size ?? 0;
  if (stat === undefined) return { kind: logBytes > 0 ? 'logOnly' : 'absent' };
  if (stat.kind !== 'file') return { kind: 'notAFile' };
  if (stat.size === 0) return logBytes > 0 ? { kind: 'logOnly' } : { kind: 'damaged', damage: 'empty' };

  const header = readHeader(fileSystem, files.main);
  if (header === undefined) return { kind: 'damaged', damage: 'not-sqlite' };
  if (header.applicationId !== applicationId) return { kind: 'foreign', applicationId: header.applicationId };
  if (!header.sound) return { kind: 'damaged', damage: 'header' };
  if (isTruncated(fileSystem, files, stat.size, header)) return { kind: 'damaged', damage: 'truncated' };
  return { kind: 'ours', header, logBytes };
}

/** True when a file shorter than its header says has lost its end. It has not when every missing page is in the log:
 *  a checkpoint writes the first page (with the new page count) before the last one. If the log holds a commit, the
 *  log gives the page count: a checkpoint after a rewrite of the file truncates it while its first page may still be
 *  the old one. */
function isTruncated(fileSystem: FileSystem, files: StoreFiles, size: number, header: FileHeader): boolean {
  if (header.pageCount === null || size >= header.pageCount * header.pageSize) return false;
  const log = readLog(fileSystem, files.log, 'salts');
  const pages = log?.databasePages ?? header.pageCount;
  for (let page = Math.floor(size / header.pageSize) + 1; page <= pages; page += 1) {
    if (log?.pages.has(page) !== true) return true;
  }
  return false;
}

/** Determines the damage of a file that was found damaged in use, even if parts of it can be read. Its process had
 *  made it as long as its log says. */
export function damageInUse(fileSystem: FileSystem, files: StoreFiles): Damage {
  const size = fileSystem.stat(files.main)?.size ?? 0;
  const log = readLog(fileSystem, files.log, 'salts');
  if (size === 0) return 'empty';
  return log !== undefined && size < log.databasePages * log.pageSize ? 'truncated' : 'content';
}
