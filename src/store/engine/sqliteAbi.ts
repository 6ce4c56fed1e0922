/** Constants of SQLite's public C interface (sqlite3.h), unchanged since 3.6. Offsets are for 32-bit pointers, as
 *  in WebAssembly. */

/** Offsets in `sqlite3_vfs`. */
export const vfsLayout = {
  version: 0,
  fileSize: 4,
  maxPathname: 8,
  name: 16,
  open: 24,
  delete: 28,
  access: 32,
} as const;

/** Order of the members of `sqlite3_io_methods` version 1. Version 1 has no shared memory, so SQLite keeps the
 *  log's index in its heap. */
export const ioMethodsOrder = [
  'version',
  'close',
  'read',
  'write',
  'truncate',
  'sync',
  'fileSize',
  'lock',
  'unlock',
  'checkReservedLock',
  'fileControl',
  'sectorSize',
  'deviceCharacteristics',
] as const;

export const resultCode = {
  ok: 0,
  readOnly: 8,
  notFound: 12,
  full: 13,
  cannotOpen: 14,
  ioRead: 266,
  ioShortRead: 522,
  ioWrite: 778,
  ioSync: 1034,
  ioTruncate: 1546,
  ioStat: 1802,
  ioDelete: 2570,
  ioAccess: 3338,
  ioClose: 4106,
  ioDeleteNothing: 5898,
} as const;

export const openFlag = { readOnly: 0x1, mainDatabase: 0x100, mainJournal: 0x800, log: 0x80000 } as const;

export const accessExists = 0;

/** A write never damages bytes beside its range. SQLite's own file layer assumes the same; without it the log would
 *  be padded to sectors. */
export const powersafeOverwrite = 0x1000;

/** Sizes in the write-ahead log (sqlite.org/fileformat2.html, section 4.1): its own header, then frames of a header
 *  and a page. */
export const logLayout = { header: 32, frameHeader: 24 } as const;

/** Bytes 18 and 19 of the header name the journal of a database: 1 rollback, 2 write-ahead. On disk ours always has
 *  1, so that another SQLite reads the last checkpoint and does not look for a log under its own name. Our SQLite
 *  sees 2. */
export const journalBytes = [18, 19] as const;
export const rollbackJournal = 1;
export const writeAheadLog = 2;
