import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { readWhole, writeNewFile, type FileSystem } from '../../../store/engine/fileSystem';

/** Bytes of a chunk: 16 pages. Smaller ones would cost more files, larger ones more bytes for each changed page. */
export const chunkBytes = 64 * 1024;
/** Fast, because the first backup compresses the whole store. */
const compressionLevel = 3;
const chunkName = /^[0-9a-f]{64}$/;
const groups = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A chunk that is missing, or whose content is not what was written. */
export class DamagedChunk extends Error {
  override readonly name = 'DamagedChunk';
  constructor(readonly hash: string) {
    super(`chunk ${hash} is damaged or missing`);
  }
}

/** Pieces of stores, each stored once under the SHA-256 of its content, deflated: the same piece of two backups
 *  takes its room once. Only the holder of the folder's lock writes. */
export class ChunkPool {
  /** Chunks of complete backups. */
  private durable: ReadonlySet<string> = new Set();
  /** Folders with names that may not be durable yet. */
  private readonly touched = new Set<string>();
  /** Chunks whose content on disk was compared with their hash. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly folder: string,
    /** Throws when the work is to end before it is done. */
    private readonly throwIfStopped: () => void = () => undefined,
  ) {}

  /** Says which chunks complete backups have: their names need no `sync`. */
  expectDurable(hashes: ReadonlySet<string>): void {
    this.durable = hashes;
  }

  /** Stores a chunk unless it is there and sound, and returns its hash. Its name is durable after `sync`. */
  add(content: Uint8Array): string {
    this.throwIfStopped();
    const hash = hashOf(content);
    const path = this.pathOf(hash);
    const isThere = this.fileSystem.stat(path) !== undefined && this.isSound(hash);
    // Also for a chunk that a crashed run left.
    if (!isThere || !this.durable.has(hash)) this.touched.add(dirname(path));
    if (isThere) return hash;
    this.fileSystem.makeFolder(dirname(path));
    const unfinished = `${path}.new`;
    if (this.fileSystem.stat(unfinished) !== undefined) this.fileSystem.remove(unfinished);
    writeNewFile(this.fileSystem, unfinished, deflateRawSync(content, { level: compressionLevel }));
    this.fileSystem.rename(unfinished, path);
    return hash;
  }

  /** Throws `DamagedChunk`. */
  read(hash: string): Uint8Array {
    this.throwIfStopped();
    let content: Uint8Array;
    try {
      content = inflateRawSync(readWhole(this.fileSystem, this.pathOf(hash)), { maxOutputLength: chunkBytes });
    } catch {
      throw new DamagedChunk(hash);
    }
    if (hashOf(content) !== hash) throw new DamagedChunk(hash);
    this.seen.add(hash);
    return content;
  }

  /** False for a chunk that is missing or damaged. Reads each chunk once. */
  isSound(hash: string): boolean {
    if (this.seen.has(hash)) return true;
    try {
      this.read(hash);
      return true;
    } catch (error) {
      if (error instanceof DamagedChunk) return false;
      throw error;
    }
  }

  /** Bytes on disk; 0 when it is missing. */
  storedBytes(hash: string): number {
    return this.fileSystem.stat(this.pathOf(hash))?.size ?? 0;
  }

  /** Makes the names of all added chunks durable. */
  sync(): void {
    for (const folder of this.touched) this.fileSystem.syncFolder(folder);
    this.touched.clear();
    if (this.fileSystem.stat(this.folder) !== undefined) this.fileSystem.syncFolder(this.folder);
  }

  remove(hash: string): void {
    const path = this.pathOf(hash);
    if (this.fileSystem.stat(path) !== undefined) this.fileSystem.remove(path);
  }

  /** Removes all chunks but these, and what a crash left half-written. Durable after `sync`. */
  keepOnly(hashes: ReadonlySet<string>): void {
    for (const group of groups) {
      const folder = join(this.folder, group);
      if (this.fileSystem.stat(folder) === undefined) continue;
      const surplus = this.fileSystem.list(folder).filter((name) => !chunkName.test(name) || !hashes.has(name));
      for (const name of surplus) this.fileSystem.remove(join(folder, name));
      if (surplus.length > 0) this.touched.add(folder);
    }
  }

  private pathOf(hash: string): string {
    return join(this.folder, hash.slice(0, 2), hash);
  }
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
