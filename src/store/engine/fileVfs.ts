import type { SqlJsStatic } from 'sql.js';
import { type DatabaseFiles, type FileRole, MountedDatabase } from './databaseFiles';
import { type DefaultVfs, type WasmParts, cString } from './defaultVfs';
import {
  accessExists,
  ioMethodsOrder,
  journalBytes,
  openFlag,
  powersafeOverwrite,
  resultCode,
  rollbackJournal,
  vfsLayout,
  writeAheadLog,
  logLayout,
} from './sqliteAbi';
import type { OpenFile } from './fileSystem';

const sectorSize = 4096;

type Callback = (...args: number[]) => number;

/** SQLite's file layer over a `FileSystem`: replaces open, delete and access in the module's default VFS. Calls for
 *  files that are not ours (temporary ones, plain in-memory databases) go to the original functions. No exception
 *  may reach SQLite: it would unwind its C frames without cleanup. So each callback returns a result code and
 *  records the reason. */
export class FileVfs {
  private readonly opened = new Map<number, OpenedFile>();
  private readonly databases = new Map<string, MountedDatabase>();
  private pending: MountedDatabase | undefined;
  private heap: Uint8Array;
  private readonly ioMethods: number;

  constructor(
    module: SqlJsStatic,
    private readonly parts: WasmParts,
    private readonly original: DefaultVfs,
  ) {
    this.heap = new Uint8Array(parts.memory.buffer);
    this.ioMethods = this.writeIoMethods(module);
    const openFunction = module.addFunction(this.xOpen, 'iiiiii');
    const deleteFunction = module.addFunction(this.xDelete, 'iiii');
    const accessFunction = module.addFunction(this.xAccess, 'iiiii');
    this.writeWord(original.address + vfsLayout.open, openFunction);
    this.writeWord(original.address + vfsLayout.delete, deleteFunction);
    this.writeWord(original.address + vfsLayout.access, accessFunction);
  }

  /** Calls `connect`, which must open exactly one connection, and gives that connection these files. */
  mount<T>(files: DatabaseFiles, connect: (database: MountedDatabase) => T): T {
    const database = new MountedDatabase(files);
    this.pending = database;
    try {
      return connect(database);
    } finally {
      this.pending = undefined;
    }
  }

  /** Forgets a closed database. Closes files that SQLite left open because it failed to close. */
  unmount(database: MountedDatabase): void {
    for (const [name, mounted] of this.databases) if (mounted === database) this.databases.delete(name);
    for (const [address, opened] of this.opened) {
      if (opened.database !== database) continue;
      this.opened.delete(address);
      opened.file.close();
    }
  }

  private writeIoMethods(module: SqlJsStatic): number {
    const functions: Record<(typeof ioMethodsOrder)[number], number> = {
      version: 1,
      close: module.addFunction(this.xClose, 'ii'),
      read: module.addFunction(this.xRead, 'iiiij'),
      write: module.addFunction(this.xWrite, 'iiiij'),
      truncate: module.addFunction(this.xTruncate, 'iij'),
      sync: module.addFunction(this.xSync, 'iii'),
      fileSize: module.addFunction(this.xFileSize, 'iii'),
      // One process owns the file (src/store/lock) and it has one connection, so there is no other user to lock out.
      lock: module.addFunction(() => resultCode.ok, 'iii'),
      unlock: module.addFunction(() => resultCode.ok, 'iii'),
      checkReservedLock: module.addFunction(this.xCheckReservedLock, 'iii'),
      fileControl: module.addFunction(() => resultCode.notFound, 'iiii'),
      sectorSize: module.addFunction(() => sectorSize, 'ii'),
      deviceCharacteristics: module.addFunction(() => powersafeOverwrite, 'ii'),
    };
    const address = module._malloc(ioMethodsOrder.length * 4);
    ioMethodsOrder.forEach((member, index) => this.writeWord(address + index * 4, functions[member]));
    return address;
  }

  /** The module's memory. When it grows, every earlier view is detached. */
  private bytes(): Uint8Array {
    if (this.heap.byteLength === 0) this.heap = new Uint8Array(this.parts.memory.buffer);
    return this.heap;
  }

  private writeWord(address: number, value: number): void {
    new DataView(this.parts.memory.buffer).setUint32(address, value, true);
  }

  private callOriginal(index: number, ...args: number[]): number {
    const callback = this.parts.table.get(index) as Callback;
    return callback(...args);
  }

  private roleOf(
    name: string,
  ): { readonly database: MountedDatabase; readonly role: FileRole | 'journal' } | undefined {
    for (const [suffix, role] of [
      ['', 'main'],
      ['-wal', 'log'],
      ['-journal', 'journal'],
    ] as const) {
      if (!name.endsWith(suffix)) continue;
      const database = this.databases.get(name.slice(0, name.length - suffix.length));
      if (database !== undefined) return { database, role };
    }
    return undefined;
  }

  private readonly xOpen = (
    vfs: number,
    nameAddress: number,
    fileAddress: number,
    flags: number,
    outFlags: number,
  ): number => {
    const name = nameAddress === 0 ? '' : cString(this.bytes(), nameAddress);
    if ((flags & openFlag.mainDatabase) !== 0 && this.pending !== undefined) {
      this.databases.set(name, this.pending);
      this.pending = undefined;
    }
    const ours = this.roleOf(name);
    if (ours === undefined)
      return this.callOriginal(this.original.open, vfs, nameAddress, fileAddress, flags, outFlags);

    // SQLite closes a file only when its methods are set, so a failed opening must leave them empty.
    this.writeWord(fileAddress, 0);
    const { database, role } = ours;
    // Our files never have a rollback journal: they are created whole and stay in write-ahead mode.
    if (role === 'journal') return resultCode.cannotOpen;
    try {
      const writeAhead = database.writeAhead;
      database.open(role);
      this.opened.set(fileAddress, {
        database,
        role,
        writeAhead,
        folderSyncDue: role === 'log',
        announcedPage: 0,
        get file() {
          return database.fileOf(role);
        },
      });
    } catch (error) {
      database.recordFailure('open', database.pathOf(role), error);
      return resultCode.cannotOpen;
    }
    if (role === 'main') database.mainOpened = true;
    this.writeWord(fileAddress, this.ioMethods);
    if (outFlags !== 0) this.writeWord(outFlags, database.files.readOnly ? (flags & ~0x6) | openFlag.readOnly : flags);
    return resultCode.ok;
  };

  private readonly xDelete = (vfs: number, nameAddress: number, syncFolder: number): number => {
    const ours = this.roleOf(cString(this.bytes(), nameAddress));
    if (ours === undefined) return this.callOriginal(this.original.delete, vfs, nameAddress, syncFolder);
    const { database, role } = ours;
    if (role === 'journal') return resultCode.ioDeleteNothing;
    const path = database.pathOf(role);
    if (!database.mayWrite || role === 'main') return resultCode.ioDelete;
    try {
      database.files.fileSystem.remove(path);
      if (syncFolder !== 0) database.files.fileSystem.syncFolder(database.files.folder);
      return resultCode.ok;
    } catch (error) {
      return database.recordFailure('remove', path, error) === 'ENOENT'
        ? resultCode.ioDeleteNothing
        : resultCode.ioDelete;
    }
  };

  private readonly xAccess = (vfs: number, nameAddress: number, flags: number, result: number): number => {
    const ours = this.roleOf(cString(this.bytes(), nameAddress));
    if (ours === undefined) return this.callOriginal(this.original.access, vfs, nameAddress, flags, result);
    const { database, role } = ours;
    try {
      // As in SQLite's own file layer, an empty file does not "exist".
      const exists = role !== 'journal' && database.sizeOf(role) > 0;
      this.writeWord(result, exists && (flags === accessExists || !database.files.readOnly) ? 1 : 0);
      return resultCode.ok;
    } catch (error) {
      database.recordFailure('stat', database.files.mainPath, error);
      return resultCode.ioAccess;
    }
  };

  /** Runs a file operation and converts its exceptions to `code`. */
  private guarded(address: number, operation: string, code: number, work: (opened: OpenedFile) => number): number {
    const opened = this.opened.get(address);
    if (opened === undefined) return code;
    const { database, role } = opened;
    try {
      return work(opened);
    } catch (error) {
      const errno = database.recordFailure(operation, database.pathOf(role), error);
      return errno === 'ENOSPC' || errno === 'EDQUOT' ? resultCode.full : code;
    }
  }

  private readonly xClose = (address: number): number =>
    this.guarded(address, 'close', resultCode.ioClose, (opened) => {
      const { file } = opened;
      this.opened.delete(address);
      opened.database.closed(opened.role);
      file.close();
      return resultCode.ok;
    });

  private readonly xRead = (address: number, into: number, length: number, offset: bigint): number =>
    this.guarded(address, 'read', resultCode.ioRead, (opened) => {
      const target = this.bytes().subarray(into, into + length);
      const position = Number(offset);
      const count = opened.file.read(target, position);
      if (count < length) target.fill(0, count);
      if (opened.role === 'main') this.showHeader(opened, target, position);
      return count < length && !opened.database.showsZeros ? resultCode.ioShortRead : resultCode.ok;
    });

  private showHeader(opened: OpenedFile, target: Uint8Array, position: number): void {
    const firstPage = opened.database.files.repaired?.firstPage;
    if (firstPage !== undefined && position < firstPage.length)
      target.set(firstPage.subarray(position, position + target.length));
    setJournalBytes(target, position, opened.writeAhead ? writeAheadLog : rollbackJournal);
  }

  private readonly xWrite = (address: number, from: number, length: number, offset: bigint): number =>
    this.guarded(address, 'write', resultCode.ioWrite, (opened) => {
      const { database, role } = opened;
      if (!database.mayWrite) return resultCode.readOnly;
      if (database.mustReopen) return resultCode.ioWrite;
      const position = Number(offset);
      let source = this.bytes().subarray(from, from + length);
      if (role === 'main' && position <= journalBytes[1]) {
        source = source.slice();
        setJournalBytes(source, position, rollbackJournal);
      }
      if (role === 'log') reservePage(opened, source, position);
      database.write(role, source, position);
      return resultCode.ok;
    });

  private readonly xTruncate = (address: number, size: bigint): number =>
    this.guarded(address, 'truncate', resultCode.ioTruncate, ({ database, role }) => {
      if (!database.mayWrite) return resultCode.readOnly;
      if (database.mustReopen) return resultCode.ioTruncate;
      database.truncate(role, Number(size));
      return resultCode.ok;
    });

  private readonly xSync = (address: number): number =>
    this.guarded(address, 'sync', resultCode.ioSync, (opened) => {
      const { database, file } = opened;
      if (!database.mayWrite) return resultCode.ok;
      if (database.mustReopen) return resultCode.ioSync;
      file.sync();
      if (opened.folderSyncDue) database.files.fileSystem.syncFolder(database.files.folder);
      opened.folderSyncDue = false;
      return resultCode.ok;
    });

  private readonly xFileSize = (address: number, result: number): number =>
    this.guarded(address, 'stat', resultCode.ioStat, ({ database, role, file }) => {
      const shown = role === 'main' ? (database.files.repaired?.size ?? 0) : 0;
      new DataView(this.parts.memory.buffer).setBigInt64(result, BigInt(Math.max(file.size(), shown)), true);
      return resultCode.ok;
    });

  private readonly xCheckReservedLock = (_address: number, result: number): number => {
    this.writeWord(result, 0);
    return resultCode.ok;
  };
}

function setJournalBytes(bytes: Uint8Array, position: number, value: number): void {
  for (const offset of journalBytes) {
    const index = offset - position;
    if (index >= 0 && index < bytes.length) bytes[index] = value;
  }
}

/** A file of a database while SQLite has it open. */
interface OpenedFile {
  readonly database: MountedDatabase;
  readonly role: FileRole;
  /** Read again for each use: the main file may be replaced by a copy (`rescue.ts`). */
  readonly file: OpenFile;
  /** Read once, at opening: SQLite must not see the mode change while the file is open. */
  readonly writeAhead: boolean;
  /** True until the folder is synced, which happens with the log's first sync and makes the name durable. Also true
   *  for a log that already existed, because the process that made it may have died before. */
  folderSyncDue: boolean;
  /** For a log: the page number in the frame header that was written last. */
  announcedPage: number;
}

/** Reserves space in the main file for a page of the log. SQLite writes a log frame in two pieces: a header that
 *  begins with the page number, and the page. */
function reservePage(opened: OpenedFile, source: Uint8Array, position: number): void {
  if (source.length === logLayout.frameHeader)
    opened.announcedPage = new DataView(source.buffer, source.byteOffset).getUint32(0);
  else if (position > logLayout.header) opened.database.reserve(opened.announcedPage * source.length);
}
