import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { notAFile } from '../../../../../base/notAFile';
import type { ByteRange, FileFacts, FolderEntry, HistoryFiles } from './historyFiles';

/** A file that became a pipe since it was looked at must not keep a thread waiting. Windows has no such flag. */
const readFlags = constants.O_RDONLY | (process.platform === 'win32' ? 0 : constants.O_NONBLOCK);

/** Files of this machine. */
export class NodeHistoryFiles implements HistoryFiles {
  async list(folder: string): Promise<readonly FolderEntry[]> {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries
        .flatMap((entry): readonly FolderEntry[] => {
          if (entry.isFile()) return [{ name: entry.name, kind: 'file' }];
          return entry.isDirectory() ? [{ name: entry.name, kind: 'folder' }] : [];
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  async stat(path: string): Promise<FileFacts | null> {
    try {
      const found = await stat(path);
      if (!found.isFile() && !found.isDirectory()) return null;
      return { kind: found.isFile() ? 'file' : 'folder', size: found.size, modifiedAt: found.mtimeMs / 1000 };
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  async *read(path: string, { start = 0, end }: ByteRange = {}): AsyncGenerator<Uint8Array> {
    if (end !== undefined && end <= start) return;
    if (!(await stat(path)).isFile()) throw new Error(notAFile(path));
    const file = await open(path, readFlags);
    const stream = file.createReadStream({ start, ...(end === undefined ? {} : { end: end - 1 }) });
    for await (const piece of stream) if (piece instanceof Uint8Array) yield piece;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
