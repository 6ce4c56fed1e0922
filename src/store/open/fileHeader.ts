import type { FileSystem } from '../engine/fileSystem';

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
