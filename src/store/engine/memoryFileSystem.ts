import { dirname } from 'node:path/posix';
import { FileSystemError, type FileStat, type FileSystem, type OpenFile, type OpenMode } from './fileSystem';

/** A disk in memory, for a database that needs no file of its own. Paths are absolute, with `/`. */
export class MemoryFileSystem implements FileSystem {
  private readonly folders = new Set(['/']);
  private readonly files = new Map<string, MemoryFile>();
  private lastFile = 0;

  open(path: string, mode: OpenMode): OpenFile {
    const found = this.files.get(path);
    if (found !== undefined && mode === 'createNew') throw new FileSystemError('EEXIST', 'open', path);
    if (found !== undefined) return found;
    if (this.folders.has(path)) throw new FileSystemError('EISDIR', 'open', path);
    if (mode === 'read' || mode === 'write') throw new FileSystemError('ENOENT', 'open', path);
    this.demandFolder('open', path);
    const created = new MemoryFile(`memory:${++this.lastFile}`, (file) => [...this.files.values()].includes(file));
    this.files.set(path, created);
    return created;
  }

  stat(path: string): FileStat | undefined {
    if (this.folders.has(path)) return { kind: 'folder', size: 0, identity: `memory:${path}`, modifiedAt: 0 };
    const file = this.files.get(path);
    return file && { kind: 'file', size: file.size(), identity: file.identity(), modifiedAt: 0 };
  }

  mayWrite(): boolean {
    return true;
  }

  rename(from: string, to: string): void {
    const file = this.require('rename', from);
    this.demandFolder('rename', to);
    this.files.delete(from);
    this.files.set(to, file);
  }

  link(existing: string, created: string): void {
    const file = this.require('link', existing);
    this.demandFolder('link', created);
    if (this.stat(created) !== undefined) throw new FileSystemError('EEXIST', 'link', created);
    this.files.set(created, file);
  }

  remove(path: string): void {
    this.require('remove', path);
    this.files.delete(path);
  }

  list(folder: string): readonly string[] {
    if (!this.folders.has(folder)) throw new FileSystemError('ENOENT', 'list', folder);
    return [...this.files.keys()]
      .filter((path) => dirname(path) === folder)
      .map((path) => path.slice(folder === '/' ? 1 : folder.length + 1));
  }

  makeFolder(path: string): void {
    if (this.folders.has(path)) return;
    this.makeFolder(dirname(path));
    this.folders.add(path);
  }

  syncFolder(): void {
    // Nothing here survives the process.
  }

  private require(operation: string, path: string): MemoryFile {
    const file = this.files.get(path);
    if (file === undefined) throw new FileSystemError('ENOENT', operation, path);
    return file;
  }

  private demandFolder(operation: string, path: string): void {
    if (!this.folders.has(dirname(path))) throw new FileSystemError('ENOENT', operation, path);
  }
}

/** `hasName`: true while a name leads to the file. */
export class MemoryFile implements OpenFile {
  private content = new Uint8Array(0);
  private length = 0;

  constructor(
    private readonly id: string,
    private readonly hasName: (file: MemoryFile) => boolean,
  ) {}

  read(into: Uint8Array, position: number): number {
    const part = this.content.subarray(Math.min(position, this.length), Math.min(position + into.length, this.length));
    into.set(part);
    return part.length;
  }

  write(from: Uint8Array, position: number): void {
    this.grow(position + from.length);
    this.content.set(from, position);
    this.length = Math.max(this.length, position + from.length);
  }

  truncate(size: number): void {
    this.grow(size);
    this.content.fill(0, Math.min(size, this.length));
    this.length = size;
  }

  sync(): void {
    // Nothing here survives the process.
  }

  size(): number {
    return this.length;
  }

  identity(): string {
    return this.id;
  }

  isUnlinked(): boolean {
    return !this.hasName(this);
  }

  close(): void {
    // Nothing to release: the content is kept by name.
  }

  private grow(size: number): void {
    if (this.content.length >= size) return;
    const larger = new Uint8Array(Math.max(size, this.content.length * 2, 4096));
    larger.set(this.content);
    this.content = larger;
  }
}
