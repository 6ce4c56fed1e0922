import {
  FileSystemError,
  ReadOnlyFile,
  type FileStat,
  type FileSystem,
  type OpenFile,
} from '../../../store/engine/fileSystem';
import { storeFiles } from '../../../store/open/storeFiles';
import { chunkBytes, type ChunkPool } from './chunkPool';
import type { StoredFile } from './manifest';

/** Chunks kept in memory: 32 MB. */
const mostCached = 512;

/** The folder in which SQLite finds the database of a backup. */
export const backupFolder = '/backup';

/** A read-only disk with one store: the database of a backup, read out of the pool. A backup is opened and checked
 *  without writing it anywhere. Reading throws `EIO` for a damaged chunk. */
export class BackupFileSystem implements FileSystem {
  private readonly path = storeFiles(backupFolder).main;

  constructor(
    private readonly pool: ChunkPool,
    private readonly stored: StoredFile,
  ) {}

  open(path: string, mode: string): OpenFile {
    if (path !== this.path) throw new FileSystemError('ENOENT', 'open', path);
    if (mode !== 'read') throw new FileSystemError('EROFS', 'open', path);
    return new StoredOpenFile(this.pool, this.stored);
  }

  stat(path: string): FileStat | undefined {
    const common = { identity: path, modifiedAt: 0 };
    if (path === backupFolder) return { kind: 'folder', size: 0, ...common };
    return path === this.path ? { kind: 'file', size: this.stored.bytes, ...common } : undefined;
  }

  mayWrite(): boolean {
    return false;
  }

  list(): readonly string[] {
    return ['state.db'];
  }

  readonly rename = readOnly('rename');
  readonly link = readOnly('link');
  readonly remove = readOnly('remove');
  readonly makeFolder = readOnly('mkdir');

  syncFolder(): void {
    // Nothing is ever written.
  }
}

class StoredOpenFile extends ReadOnlyFile {
  private readonly cache = new Map<string, Uint8Array>();

  constructor(
    private readonly pool: ChunkPool,
    private readonly stored: StoredFile,
  ) {
    super();
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(position + into.length, this.stored.bytes);
    let at = position;
    while (at < end) {
      const chunk = this.chunk(this.stored.chunks[Math.floor(at / chunkBytes)] ?? '');
      const offset = at % chunkBytes;
      const part = chunk.subarray(offset, Math.min(chunk.length, offset + end - at));
      if (part.length === 0) break;
      into.set(part, at - position);
      at += part.length;
    }
    return Math.max(0, at - position);
  }

  private chunk(hash: string): Uint8Array {
    const known = this.cache.get(hash);
    if (known !== undefined) return known;
    let content: Uint8Array;
    try {
      content = this.pool.read(hash);
    } catch {
      throw new FileSystemError('EIO', 'read chunk', hash);
    }
    const [oldest] = this.cache.keys();
    if (this.cache.size >= mostCached && oldest !== undefined) this.cache.delete(oldest);
    this.cache.set(hash, content);
    return content;
  }

  size(): number {
    return this.stored.bytes;
  }

  identity(): string {
    return 'backup';
  }

  override close(): void {
    this.cache.clear();
  }
}

function readOnly(operation: string): (path: string) => never {
  return (path) => {
    throw new FileSystemError('EROFS', operation, path);
  };
}
