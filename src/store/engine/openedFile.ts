import type { FileRole, MountedDatabase } from './databaseFiles';
import type { OpenFile } from './fileSystem';
import { logLayout } from './sqliteAbi';

/** A file of a database while SQLite has it open. */
export interface OpenedFile {
  readonly database: MountedDatabase;
  readonly role: FileRole;
  /** Read again for each use: the main file may be replaced by a copy (`rescue.ts`). */
  readonly file: OpenFile;
  /** Read once, at opening: SQLite must not see the mode change while the file is open. */
  readonly writeAhead: boolean;
  /** True until the folder is synced, which happens with the log's first sync and makes the name durable. Also true
   *  for a log that already existed, because the process that made it may have died before. */
  folderSyncDue: boolean;
  /** For a log: the page number in the frame header that was written last. */
  announcedPage: number;
}

/** Reserves space in the main file for a page of the log. SQLite writes a log frame in two pieces: a header that
 *  begins with the page number, and the page. */
export function reservePage(opened: OpenedFile, source: Uint8Array, position: number): void {
  if (source.length === logLayout.frameHeader)
    opened.announcedPage = new DataView(source.buffer, source.byteOffset).getUint32(0);
  else if (position > logLayout.header) opened.database.reserve(opened.announcedPage * source.length);
}
