import { dirname } from 'node:path/posix';
import type { FileStat, FileSystem, OpenFile, OpenMode } from '../../src/store/engine/fileSystem';
import { FileSystemError } from '../../src/store/engine/fileSystem';
import type { Random } from './simulatedInode';
import { Inode } from './simulatedInode';

/** A disk call that a test can inspect and decide on before it reaches the disk. */
export interface DiskOperation {
  readonly kind:
    | 'open'
    | 'read'
    | 'write'
    | 'truncate'
    | 'sync'
    | 'syncFolder'
    | 'rename'
    | 'link'
    | 'remove'
    | 'list'
    | 'makeFolder';
  readonly path: string;
  /** For writes. */
  readonly bytes?: number;
}

export interface SimulatedDiskOptions {
  /** Seconds since 1970, for modification times. */
  readonly now?: () => number;
  /** Called before every operation. Returns an errno name to make it fail; a failing write may be made to write a
   *  part first. */
  readonly intervene?: (
    operation: DiskOperation,
  ) => string | { readonly errno: string; readonly written: number } | undefined;
  /** False makes `sync` and `syncFolder` lie: they succeed and keep nothing. Used to show that a test would notice. */
  readonly honestSync?: boolean;
}

/** An in-memory disk that keeps only synced data across a power cut, plus any part of the rest. Every 512-byte
 *  sector, file size and folder entry written since the last sync survives or not independently. Deliberately much
 *  harsher than a real disk. */
export class SimulatedDisk implements FileSystem {
  /** Total bytes the disk holds; a write beyond that fails with ENOSPC after it has written the part that fits. */
  capacity = Number.POSITIVE_INFINITY;
  readOnly = false;
  private readonly folders = new Map<string, Folder>([['/', new Folder()]]);
  private nextInode = 1;

  constructor(private readonly options: SimulatedDiskOptions = {}) {}

  /** Returns the disk in a state possible after a power cut now. This disk is not changed. */
  powerCut(random: Random, options: SimulatedDiskOptions = {}): SimulatedDisk {
    const survivor = new SimulatedDisk(options);
    survivor.nextInode = this.nextInode;
    const survivingInodes = new Map<Inode, Inode>();
    for (const [path, folder] of this.folders) {
      survivor.folders.set(
        path,
        folder.powerCut(random, (inode) => {
          const copy = survivingInodes.get(inode) ?? inode.powerCut(random);
          survivingInodes.set(inode, copy);
          return copy;
        }),
      );
    }
    return survivor;
  }

  open(path: string, mode: OpenMode): OpenFile {
    this.perform({ kind: 'open', path });
    const folder = this.folderOf(path, 'open');
    let inode = folder.get(path);
    if (this.folders.has(path)) throw new FileSystemError('EISDIR', 'open', path);
    if (inode !== undefined && mode === 'createNew') throw new FileSystemError('EEXIST', 'open', path);
    if (mode !== 'read') this.demandWritable('open', path);
    if (inode === undefined) {
      if (mode === 'read' || mode === 'write') throw new FileSystemError('ENOENT', 'open', path);
      inode = new Inode(this.nextInode, this.now());
      this.nextInode += 1;
      folder.set(path, inode);
    }
    return new SimulatedFile(this, inode, path);
  }

  stat(path: string): FileStat | undefined {
    if (this.folders.has(path)) return { kind: 'folder', size: 0, identity: `sim:${path}`, modifiedAt: 0 };
    const inode = this.folders.get(dirname(path))?.get(path);
    if (inode === undefined) return undefined;
    return { kind: 'file', size: inode.size, identity: inode.identity, modifiedAt: inode.modifiedAt };
  }

  hasName(inode: Inode): boolean {
    return [...this.folders.values()].some((folder) => folder.holds(inode));
  }

  mayWrite(): boolean {
    return !this.readOnly;
  }

  rename(from: string, to: string): void {
    this.perform({ kind: 'rename', path: from });
    this.demandWritable('rename', from);
    const source = this.folderOf(from, 'rename');
    const inode = source.get(from);
    if (inode === undefined) throw new FileSystemError('ENOENT', 'rename', from);
    if (source !== this.folderOf(to, 'rename')) throw new FileSystemError('EXDEV', 'rename between folders', to);
    // One change: after a power cut a renamed file has its old name or its new one, never both or none.
    source.change([
      [from, undefined],
      [to, inode],
    ]);
  }

  link(existing: string, created: string): void {
    this.perform({ kind: 'link', path: created });
    this.demandWritable('link', created);
    const inode = this.folderOf(existing, 'link').get(existing);
    if (inode === undefined) throw new FileSystemError('ENOENT', 'link', existing);
    if (this.stat(created) !== undefined) throw new FileSystemError('EEXIST', 'link', created);
    this.folderOf(created, 'link').set(created, inode);
  }

  remove(path: string): void {
    this.perform({ kind: 'remove', path });
    this.demandWritable('remove', path);
    const folder = this.folderOf(path, 'remove');
    if (folder.get(path) === undefined) throw new FileSystemError('ENOENT', 'remove', path);
    folder.set(path, undefined);
  }

  list(folder: string): readonly string[] {
    this.perform({ kind: 'list', path: folder });
    const found = this.folders.get(folder);
    if (found === undefined) throw new FileSystemError('ENOENT', 'list', folder);
    return found.names().map((path) => path.slice(folder === '/' ? 1 : folder.length + 1));
  }

  /** Folders are durable at once: the store makes its folder before it holds anything. */
  makeFolder(path: string): void {
    if (this.folders.has(path)) return;
    this.perform({ kind: 'makeFolder', path });
    this.demandWritable('makeFolder', path);
    this.makeFolder(dirname(path));
    this.folders.set(path, new Folder());
  }

  syncFolder(path: string): void {
    this.perform({ kind: 'syncFolder', path });
    if (this.options.honestSync !== false) this.folders.get(path)?.sync();
  }

  /** Current content of a file, for tests. */
  bytesOf(path: string): Uint8Array {
    return this.inodeOf(path).bytes().slice();
  }

  /** Creates a durable file, for tests. */
  put(path: string, content: Uint8Array): void {
    this.makeFolder(dirname(path));
    const inode = new Inode(this.nextInode, this.now());
    this.nextInode += 1;
    inode.write(content, 0);
    inode.sync();
    const folder = this.folderOf(path, 'put');
    folder.set(path, inode);
    folder.sync();
  }

  /** @internal For `SimulatedFile`. */
  perform(operation: DiskOperation): { readonly errno: string; readonly written: number } | undefined {
    const verdict = this.options.intervene?.(operation);
    if (verdict === undefined) return undefined;
    if (typeof verdict !== 'string') return verdict;
    throw new FileSystemError(verdict, operation.kind, operation.path);
  }

  /** @internal */
  room(): number {
    if (this.capacity === Number.POSITIVE_INFINITY) return this.capacity;
    const inodes = new Set([...this.folders.values()].flatMap((folder) => folder.inodes()));
    let used = 0;
    for (const inode of inodes) used += inode.size;
    return Math.max(0, this.capacity - used);
  }

  /** @internal */
  demandWritable(operation: string, path: string): void {
    if (this.readOnly) throw new FileSystemError('EROFS', operation, path);
  }

  /** @internal */
  get syncsHonestly(): boolean {
    return this.options.honestSync !== false;
  }

  /** @internal */
  now(): number {
    return (this.options.now?.() ?? 0) * 1000;
  }

  private folderOf(path: string, operation: string): Folder {
    const folder = this.folders.get(dirname(path));
    if (folder === undefined) throw new FileSystemError('ENOENT', operation, path);
    return folder;
  }

  private inodeOf(path: string): Inode {
    const inode = this.folders.get(dirname(path))?.get(path);
    if (inode === undefined) throw new FileSystemError('ENOENT', 'read', path);
    return inode;
  }
}

type EntryChange = readonly (readonly [path: string, inode: Inode | undefined])[];

/** Names in one folder: the durable ones, and the changes since the last sync. */
class Folder {
  private durable = new Map<string, Inode>();
  private current = new Map<string, Inode>();
  private changes: EntryChange[] = [];

  get(path: string): Inode | undefined {
    return this.current.get(path);
  }

  holds(inode: Inode): boolean {
    return [...this.current.values()].includes(inode);
  }

  set(path: string, inode: Inode | undefined): void {
    this.change([[path, inode]]);
  }

  change(change: EntryChange): void {
    apply(this.current, change);
    this.changes.push(change);
  }

  names(): string[] {
    return [...this.current.keys()];
  }

  inodes(): Inode[] {
    return [...this.current.values()];
  }

  sync(): void {
    this.durable = new Map(this.current);
    this.changes = [];
  }

  powerCut(random: Random, surviving: (inode: Inode) => Inode): Folder {
    const entries = new Map(this.durable);
    for (const change of this.changes) if (random() < 0.5) apply(entries, change);
    const folder = new Folder();
    for (const [path, inode] of entries) folder.durable.set(path, surviving(inode));
    folder.current = new Map(folder.durable);
    return folder;
  }
}

function apply(entries: Map<string, Inode>, change: EntryChange): void {
  for (const [path, inode] of change) {
    if (inode === undefined) entries.delete(path);
    else entries.set(path, inode);
  }
}

class SimulatedFile implements OpenFile {
  constructor(
    private readonly disk: SimulatedDisk,
    private readonly inode: Inode,
    private readonly path: string,
  ) {}

  read(into: Uint8Array, position: number): number {
    this.disk.perform({ kind: 'read', path: this.path });
    return this.inode.read(into, position);
  }

  write(from: Uint8Array, position: number): void {
    const failure = this.disk.perform({ kind: 'write', path: this.path, bytes: from.length });
    this.disk.demandWritable('write', this.path);
    const fits = this.disk.room() + Math.max(0, this.inode.size - position);
    const allowed = Math.min(from.length, failure?.written ?? from.length, fits);
    if (allowed > 0) this.inode.write(from.subarray(0, allowed), position);
    this.inode.modifiedAt = this.disk.now();
    if (failure !== undefined) throw new FileSystemError(failure.errno, 'write', this.path);
    if (allowed < from.length) throw new FileSystemError('ENOSPC', 'write', this.path);
  }

  truncate(size: number): void {
    this.disk.perform({ kind: 'truncate', path: this.path });
    this.disk.demandWritable('truncate', this.path);
    this.inode.truncate(size);
  }

  sync(): void {
    this.disk.perform({ kind: 'sync', path: this.path });
    if (this.disk.syncsHonestly) this.inode.sync();
  }

  size(): number {
    return this.inode.size;
  }

  identity(): string {
    return this.inode.identity;
  }

  isUnlinked(): boolean {
    return !this.disk.hasName(this.inode);
  }

  close(): void {
    // Nothing to release: the disk keeps its content by name.
  }
}
