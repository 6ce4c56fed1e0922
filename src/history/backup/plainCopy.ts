import { dirname } from 'node:path';
import { readLogWhole } from '../../store/engine/compactLog';
import type { FileSystem, OpenFile } from '../../store/engine/fileSystem';
import { copyContent } from '../../store/engine/rescue';
import { journalBytes, rollbackJournal } from '../../store/engine/sqliteAbi';
import { readOneMoment, type CopyDeps } from '../../store/library/storeCopy';
import { logPages } from '../../store/open/logPages';
import type { StoreFiles } from '../../store/open/storeFiles';

/** Writes a store's database, with what its log has, as one file that any SQLite opens. Its owner may write meanwhile:
 *  every commit up to the beginning of the call is in it. The file appears only when complete. Throws the disk's error,
 *  and `not-found` when there is no store. */
export function writePlainCopy(
  deps: Pick<CopyDeps, 'fileSystem' | 'pause'>,
  files: Pick<StoreFiles, 'folder' | 'main' | 'log'>,
  path: string,
): void {
  const { fileSystem } = deps;
  const unfinished = `${path}.new`;
  removeIfThere(fileSystem, unfinished);
  const file = fileSystem.open(unfinished, 'createNew');
  try {
    readOneMoment(deps, files, () => {
      file.truncate(0);
      copyMain(fileSystem, files.main, file);
      addLog(fileSystem, files.log, file);
    });
    file.sync();
  } catch (error) {
    file.close();
    removeIfThere(fileSystem, unfinished);
    throw error;
  }
  file.close();
  fileSystem.rename(unfinished, path);
  fileSystem.syncFolder(dirname(path));
}

function copyMain(fileSystem: FileSystem, main: string, to: OpenFile): void {
  const source = fileSystem.open(main, 'read');
  try {
    copyContent(source, to);
  } finally {
    source.close();
  }
}

function addLog(fileSystem: FileSystem, log: string, to: OpenFile): void {
  const found = fileSystem.stat(log) === undefined ? undefined : logPages(readLogWhole(fileSystem, log));
  if (found === undefined) return;
  for (const [page, content] of found.pages)
    if (page <= found.databasePages) to.write(content, (page - 1) * found.pageSize);
  to.truncate(found.databasePages * found.pageSize);
  for (const offset of journalBytes) to.write(Uint8Array.of(rollbackJournal), offset);
}

function removeIfThere(fileSystem: FileSystem, path: string): void {
  if (fileSystem.stat(path) !== undefined) fileSystem.remove(path);
}
