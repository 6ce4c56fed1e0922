import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import type { Thread } from '../../base/threads/channel';
import { errnoOf, writeNewFile } from '../engine/fileSystem';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { acquireLock, isHeld } from '../lock/acquireLock';
import type { LockEndpoint } from '../lock/lockRecord';
import { SystemProcessTable } from '../lock/processLookup';
import { retire } from '../open/replacedFiles';
import { storeFiles } from '../open/storeFiles';
import { storeErrorData } from '../storeError';
import { StoreClient, startStoreWorker, type RunningStore } from '../worker/storeClient';
import type { OpenReport } from '../worker/openedStore';
import { StoreConnection, type OpenOptions, type OwnershipAttempt, type StoreHome } from './storeConnection';
import { storeFolderOf } from './storeFolder';

/** Bytes; more than an opening after a crash writes. */
const probeBytes = 1 << 20;

interface OpenStoreOptions {
  /** `context.storageUri` from VS Code, or the folder from the settings. */
  readonly storageFolder: string;
  /** Path of `dist/storeWorker.js`. */
  readonly workerEntry: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Folder for private copies of a store that another window has (`library/`). Default: in the storage folder. */
  readonly copies?: string;
  /** Starts a thread. Default: `startStoreWorker`. */
  readonly startWorker?: (entry: string) => Thread;
  /** `whenAsked`: touches nothing before `open` is called, for a window that has never stored anything. Default:
   *  `atOnce`. */
  readonly opens?: 'atOnce' | 'whenAsked';
  /** Folders of this machine that may hold files of this store and of others; read at each opening. Default: none. */
  readonly sharedFolders?: () => readonly string[];
  /** Called before each opening that may change the files, while the lock is held. Never rejects. */
  readonly beforeOpening?: () => Promise<void>;
}

/** Connects this window to the history of its folder. Opens it at once unless `opens` says otherwise; follow
 *  `onDidChangeState`. */
export function openStore(options: OpenStoreOptions): StoreConnection {
  const connection = new StoreConnection(storeHome(options), options.clock, options.log);
  if (options.opens !== 'whenAsked') void connection.open();
  return connection;
}

/** A folder in which a window keeps its history, or to which it moves. */
export function storeHome({
  storageFolder,
  workerEntry,
  copies = join(storageFolder, 'reading'),
  clock,
  startWorker = startStoreWorker,
  sharedFolders,
  beforeOpening,
}: Pick<
  OpenStoreOptions,
  'storageFolder' | 'workerEntry' | 'copies' | 'clock' | 'startWorker' | 'sharedFolders' | 'beforeOpening'
>): StoreHome {
  return new NodeStoreHome(
    storeFolderOf(storageFolder),
    () => startWorker(workerEntry),
    copies,
    clock,
    sharedFolders ?? (() => []),
    beforeOpening ?? (() => Promise.resolve()),
  );
}

/** A folder on this machine's disk; a worker thread serves its store. */
class NodeStoreHome implements StoreHome {
  private readonly fileSystem = new NodeFileSystem();
  private readonly processes = new SystemProcessTable();
  private spare: Thread | null = null;

  constructor(
    private readonly folder: string,
    private readonly startWorker: () => Thread,
    private readonly copies: string,
    private readonly clock: Clock,
    private readonly sharedFolders: () => readonly string[],
    private readonly beforeOpening: () => Promise<void>,
  ) {}

  /** Starts the thread early: it compiles SQLite while this thread creates its socket and takes the lock. */
  prepare(): void {
    this.spare ??= this.startWorker();
  }

  acquireLock(endpoint: LockEndpoint): OwnershipAttempt {
    return acquireLock({
      fileSystem: this.fileSystem,
      folder: this.folder,
      path: storeFiles(this.folder).lock,
      processes: this.processes,
      endpoint,
      now: this.clock.now,
      uniqueName: randomUUID,
    });
  }

  isHeld(): boolean {
    return isHeld(this.fileSystem, storeFiles(this.folder).lock, this.processes);
  }

  async open({ fence, snapshot, ...options }: OpenOptions): Promise<{ store: RunningStore; report: OpenReport }> {
    if (fence !== null) await this.beforeOpening();
    const client = new StoreClient(this.spare ?? this.startWorker());
    this.spare = null;
    const report = await client.open({
      folder: this.folder,
      fence,
      ...options,
      ...(snapshot === null ? {} : { snapshot: { copies: this.copies, error: storeErrorData(snapshot) } }),
      sharedFolders: this.sharedFolders(),
    });
    return { store: client.store, report };
  }

  leaveReplaced(path: string): void {
    retire(this.fileSystem, path, 'kept', this.clock.now());
  }

  hasSpace(): boolean {
    const probe = `${storeFiles(this.folder).lock}.${randomUUID()}`;
    try {
      writeNewFile(this.fileSystem, probe, new Uint8Array(probeBytes));
      this.fileSystem.remove(probe);
      return true;
    } catch (error) {
      // The opening reports any failure other than a full disk.
      return !['ENOSPC', 'EDQUOT'].includes(errnoOf(error));
    }
  }

  dispose(): void {
    void this.spare?.terminate();
    this.spare = null;
  }
}
