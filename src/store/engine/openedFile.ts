import type { FileRole, MountedDatabase } from './databaseFiles';
import type { OpenFile } from './fileSystem';
import type { GatheredWrites } from './gatheredWrites';
import { logLayout } from './sqliteAbi';

/** A file of a database while SQLite has it open. */
export interface OpenedFile {
  readonly database: MountedDatabase;
  readonly role: FileRole;
  /** Asked for each use: the main file may become a copy of itself (`rescue.ts`). */
  readonly file: OpenFile;
  /** Of a log: what was written and is not with the disk yet. */
  readonly gathered: GatheredWrites | null;
  /** Asked once, at opening: SQLite must not see the mode change under it. */
  readonly writeAhead: boolean;
  /** A name is durable only after its folder is synced, which happens with the log's first sync: also where the log was found, because the
   *  process that made it may have died before. */
  folderSyncDue: boolean;
  /** Of a log: the page that the frame announces whose header was written last. */
  announcedPage: number;
}

/** SQLite writes a frame of the log in two pieces: a header that begins with the number of the page, and the page. */
export function reservePage(opened: OpenedFile, source: Uint8Array, position: number): void {
  if (source.length === logLayout.frameHeader)
    opened.announcedPage = new DataView(source.buffer, source.byteOffset).getUint32(0);
  else if (position > logLayout.header) opened.database.reserve(opened.announcedPage * source.length);
}
