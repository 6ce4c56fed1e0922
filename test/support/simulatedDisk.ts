import { dirname } from 'node:path/posix';
import type { FileStat, FileSystem, OpenFile, OpenMode } from '../../src/store/engine/fileSystem';
import { FileSystemError } from '../../src/store/engine/fileSystem';
import { Folder, NameJournal } from './simulatedFolder';
import type { Random } from './simulatedInode';
import { Inode } from './simulatedInode';
import { systemRules, type SystemName, type SystemRules } from './simulatedSystem';

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
  /** Rules of the file system. Default: `posix`. */
  readonly system?: SystemName;
}

/** An in-memory disk that keeps only synced data across a power cut, plus any part of the rest. Every 512-byte
 *  sector, file size and folder entry written since the last sync survives or not independently. Deliberately much
 *  harsher than a real disk. */
export class SimulatedDisk implements FileSystem {
  /** Total bytes the disk holds; a write beyond that fails with ENOSPC after it has written the part that fits. */
  capacity = Number.POSITIVE_INFINITY;
  readOnly = false;
  private readonly rules: SystemRules;
  private readonly journal = new NameJournal();
  private readonly folders: Map<string, Folder>;
  private nextInode = 1;

  constructor(private readonly options: SimulatedDiskOptions = {}) {
    this.rules = systemRules[options.system ?? 'posix'];
    this.folders = new Map([['/', this.newFolder()]]);
  }

  /** Returns the disk in a state possible after a power cut now. This disk is not changed. */
  powerCut(random: Random, options: SimulatedDiskOptions = {}): SimulatedDisk {
    const survivor = new SimulatedDisk({ ...options, system: options.system ?? this.options.system ?? 'posix' });
    survivor.nextInode = this.nextInode;
    const survivingInodes = new Map<Inode, Inode>();
    const surviving = (inode: Inode): Inode => {
      const copy = survivingInodes.get(inode) ?? inode.powerCut(random);
      survivingInodes.set(inode, copy);
      return copy;
    };
    const survives = this.rules.namesInOrder ? this.journal.cut(random) : () => random() < 0.5;
    for (const [path, folder] of this.folders)
      survivor.folders.set(path, folder.powerCut(survives, surviving, survivor.newFolder()));
    return survivor;
  }

  open(path: string, mode: OpenMode): OpenFile {
    this.perform({ kind: 'open', path });
    const folder = this.folderOf(path, 'open');
    let inode = folder.get(path);
    if (this.folders.has(path)) throw new FileSystemError('EISDIR', 'open', path);
    if (folder.isGoing(path)) throw new FileSystemError('EPERM', 'open', path);
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
    const folder = this.folders.get(dirname(path));
    const inode = folder?.get(path);
    if (folder?.isGoing(path) === true) throw new FileSystemError('EPERM', 'stat', path);
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
    const replaced = source.get(to);
    if (source.isGoing(from) || source.isGoing(to) || (replaced !== inode && this.isHeld(replaced)))
      throw new FileSystemError('EPERM', 'rename', from);
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
    if (this.folderOf(created, 'link').isGoing(created)) throw new FileSystemError('EPERM', 'link', created);
    this.folderOf(created, 'link').set(created, inode);
  }

  remove(path: string): void {
    this.perform({ kind: 'remove', path });
    this.demandWritable('remove', path);
    const folder = this.folderOf(path, 'remove');
    const inode = folder.get(path);
    if (inode === undefined) throw new FileSystemError('ENOENT', 'remove', path);
    if (folder.isGoing(path)) throw new FileSystemError('EPERM', 'remove', path);
    if (this.isHeld(inode)) folder.leave(path);
    else folder.set(path, undefined);
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
    this.folders.set(path, this.newFolder());
  }

  syncFolder(path: string): void {
    if (!this.rules.syncsFolders) return;
    this.perform({ kind: 'syncFolder', path });
    if (this.options.honestSync !== false) this.folders.get(path)?.sync();
  }

  /** @internal Makes a file durable, and, where the system writes one journal, every name up to the file's own. */
  syncFile(inode: Inode): void {
    if (this.options.honestSync === false) return;
    inode.sync();
    if (!this.rules.namesInOrder) return;
    const folders = [...this.folders.values()];
    const newest = Math.max(...folders.map((folder) => folder.newestChangeOf(inode)));
    for (const folder of folders) folder.sync(newest);
  }

  /** @internal For `SimulatedFile`: the last handle of a removed file takes its name away. */
  released(inode: Inode): void {
    if (inode.handles === 0) for (const folder of this.folders.values()) folder.finishLeaving(inode);
  }

  private isHeld(inode: Inode | undefined): boolean {
    return this.rules.openFilesKeepNames && inode !== undefined && inode.handles > 0;
  }

  private newFolder(): Folder {
    return new Folder(this.rules.nameKey, this.journal);
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

class SimulatedFile implements OpenFile {
  private isClosed = false;

  constructor(
    private readonly disk: SimulatedDisk,
    private readonly inode: Inode,
    private readonly path: string,
  ) {
    inode.handles += 1;
  }

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
    this.disk.syncFile(this.inode);
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
    if (this.isClosed) return;
    this.isClosed = true;
    this.inode.handles -= 1;
    this.disk.released(this.inode);
  }
}
