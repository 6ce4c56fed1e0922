import type { FileSystem } from '../engine/fileSystem';
import { openLog } from '../engine/compactLog';
import { logLayout } from '../engine/sqliteAbi';

const { header: logHeaderSize, frameHeader: frameHeaderSize } = logLayout;

/** Committed frames of a write-ahead log in its current run. */
interface LogContent {
  /** Offset in the log of the newest committed content of each page, by page number. */
  readonly pages: ReadonlyMap<number, number>;
  readonly pageSize: number;
  /** Size of the whole database after the last commit, in pages. */
  readonly databasePages: number;
}

/** Walks the log's frame headers while their salts match those of its header; SQLite verifies the checksums when it
 *  opens the log. Undefined when the log contains no commit. Layout: sqlite.org/fileformat2.html, section 4.1. */
export function readLog(fileSystem: FileSystem, path: string): LogContent | undefined {
  if ((fileSystem.stat(path)?.size ?? 0) <= logHeaderSize) return undefined;
  const file = openLog(fileSystem, path);
  try {
    const header = new Uint8Array(logHeaderSize);
    file.read(header, 0);
    const pageSize = new DataView(header.buffer).getUint32(8);
    if (pageSize < 512 || pageSize > 65_536) return undefined;
    const salts = header.subarray(16, 24).join();
    const frame = new Uint8Array(frameHeaderSize);
    const view = new DataView(frame.buffer);
    const pages = new Map<number, number>();
    let uncommitted: (readonly [page: number, at: number])[] = [];
    let databasePages = 0;
    for (let at = logHeaderSize; file.read(frame, at) === frameHeaderSize; at += frameHeaderSize + pageSize) {
      if (frame.subarray(8, 16).join() !== salts) break;
      uncommitted.push([view.getUint32(0), at + frameHeaderSize]);
      const pagesAfterCommit = view.getUint32(4);
      if (pagesAfterCommit === 0) continue;
      for (const [page, content] of uncommitted) pages.set(page, content);
      uncommitted = [];
      databasePages = pagesAfterCommit;
    }
    return databasePages === 0 ? undefined : { pages, pageSize, databasePages };
  } finally {
    file.close();
  }
}
