import type { FileSystem } from '../../../store/engine/fileSystem';
import { journalBytes, rollbackJournal } from '../../../store/engine/sqliteAbi';
import { readOneMoment, type CopyDeps } from '../../../store/library/storeCopy';
import { stampOfStore } from '../../../store/library/storeStamp';
import { readLog, type LogPages } from '../../../store/open/logPages';
import type { StoreFiles } from '../../../store/open/storeFiles';
import { chunkBytes, type ChunkPool } from './chunkPool';
import type { StoredFile } from './manifest';

/** Reads a store's database into the pool as of one moment, while its owner may write: every commit up to the
 *  beginning of the call is in it. The owner does nothing for it and does not wait. A commit in the log is applied
 *  here, so that the backup is one file. */
export function readStore(
  deps: Pick<CopyDeps, 'fileSystem' | 'pause'>,
  files: Pick<StoreFiles, 'folder' | 'main' | 'log'>,
  pool: ChunkPool,
): StoredFile {
  const { main, log } = readOneMoment(deps, files, () => ({
    main: readIn(deps.fileSystem, files.main, pool),
    log: readLog(deps.fileSystem, files.log),
  }));
  return log === undefined ? main : withLog(main, log, pool);
}

/** The state of a store's files: the same text as long as nobody wrote. */
export function sourceOf(fileSystem: FileSystem, files: Pick<StoreFiles, 'main' | 'log'>): string {
  const { main, log, logBytes } = stampOfStore(fileSystem, files);
  const writtenAt = fileSystem.stat(files.log)?.modifiedAt ?? 0;
  return [main, log, logBytes, log === null ? 0 : writtenAt].join('|');
}

/** Writes a stored file of the pool to an open file. Throws `DamagedChunk`. */
export function writeStoredFile(
  fileSystem: FileSystem,
  path: string,
  { bytes, chunks }: StoredFile,
  pool: ChunkPool,
): void {
  const file = fileSystem.open(path, 'createNew');
  try {
    chunks.forEach((hash, index) => file.write(pool.read(hash), index * chunkBytes));
    file.truncate(bytes);
    file.sync();
  } finally {
    file.close();
  }
}

function readIn(fileSystem: FileSystem, path: string, pool: ChunkPool): StoredFile {
  const file = fileSystem.open(path, 'read');
  try {
    const chunks: string[] = [];
    const block = new Uint8Array(chunkBytes);
    let bytes = 0;
    for (let read = file.read(block, 0); read > 0; read = file.read(block, bytes)) {
      chunks.push(pool.add(block.subarray(0, read)));
      bytes += read;
      if (read < chunkBytes) break;
    }
    return { bytes, chunks };
  } finally {
    file.close();
  }
}

/** Puts the pages of the log in place of those of the file. */
function withLog(main: StoredFile, { pages, pageSize, databasePages }: LogPages, pool: ChunkPool): StoredFile {
  const bytes = databasePages * pageSize;
  const pagesPerChunk = chunkBytes / pageSize;
  const changed = new Set([...pages.keys()].map((page) => Math.floor((page - 1) / pagesPerChunk)));
  const chunks = Array.from({ length: Math.ceil(bytes / chunkBytes) }, (_, index) => {
    const length = Math.min(chunkBytes, bytes - index * chunkBytes);
    const stored = main.chunks[index];
    const storedLength = Math.min(chunkBytes, main.bytes - index * chunkBytes);
    if (stored !== undefined && storedLength === length && !changed.has(index)) return stored;
    const content = new Uint8Array(length);
    if (stored !== undefined) content.set(pool.read(stored).subarray(0, length));
    for (let page = index * pagesPerChunk + 1; page <= (index + 1) * pagesPerChunk; page++) {
      const newer = page <= databasePages ? pages.get(page) : undefined;
      if (newer !== undefined) content.set(newer, ((page - 1) % pagesPerChunk) * pageSize);
    }
    // On disk a store always names the other kind of journal.
    if (index === 0) for (const offset of journalBytes) content[offset] = rollbackJournal;
    return pool.add(content);
  });
  return { bytes, chunks };
}
