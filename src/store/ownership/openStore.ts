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

interface StoreHomeOptions {
  /** `context.storageUri` from VS Code, or the folder from the settings. */
  readonly storageFolder: string;
  /** Path of `dist/storeWorker.js`. */
  readonly workerEntry: string;
  readonly clock: Clock;
  /** Folder for private copies of a store that another window has (`library/`). Default: in the storage folder. */
  readonly copies?: string;
  /** Starts a thread. Default: `startStoreWorker`. */
  readonly startWorker?: (entry: string) => Thread;
  /** Folders of this machine that may hold files of this store and of others; read at each opening. Default: none. */
  readonly sharedFolders?: () => readonly string[];
  /** Called before each opening that may change the files, while the lock is held. Never rejects. */
  readonly beforeOpening?: () => Promise<void>;
}

interface OpenStoreOptions extends StoreHomeOptions {
  readonly log: Log;
  /** `whenAsked`: touches nothing before `open` is called, for a window that has never stored anything. Default:
   *  `atOnce`. */
  readonly opens?: 'atOnce' | 'whenAsked';
}

/** Connects this window to the history of its folder. Opens it at once unless `opens` says otherwise; follow
 *  `onDidChangeState`. */
export function openStore(options: OpenStoreOptions): StoreConnection {
  const connection = new StoreConnection(new NodeStoreHome(options), options.clock, options.log);
  if (options.opens !== 'whenAsked') void connection.open();
  return connection;
}

/** A folder on this machine's disk in which a window keeps its history, or to which it moves. A worker thread serves
 *  its store. */
export class NodeStoreHome implements StoreHome {
  private readonly fileSystem = new NodeFileSystem();
  private readonly processes = new SystemProcessTable();
  private readonly folder: string;
  private spare: Thread | null = null;

  constructor(private readonly options: StoreHomeOptions) {
    this.folder = storeFolderOf(options.storageFolder);
  }

  /** Starts the thread early: it compiles SQLite while this thread creates its socket and takes the lock. */
  prepare(): void {
    this.spare ??= this.startThread();
  }

  acquireLock(endpoint: LockEndpoint): OwnershipAttempt {
    const { fileSystem, processes, folder, options } = this;
    return acquireLock({ fileSystem, processes, folder, endpoint, now: options.clock.now });
  }

  isHeld(): boolean {
    return isHeld(this.fileSystem, storeFiles(this.folder).lock, this.processes);
  }

  async open({ fence, snapshot, ...how }: OpenOptions): Promise<{ store: RunningStore; report: OpenReport }> {
    const { storageFolder, copies = join(storageFolder, 'reading'), sharedFolders, beforeOpening } = this.options;
    if (fence !== null) await beforeOpening?.();
    const client = new StoreClient(this.spare ?? this.startThread());
    this.spare = null;
    const report = await client.open({
      folder: this.folder,
      fence,
      ...how,
      ...(snapshot === null ? {} : { snapshot: { copies, error: storeErrorData(snapshot) } }),
      sharedFolders: sharedFolders?.() ?? [],
    });
    return { store: client.store, report };
  }

  private startThread(): Thread {
    const { startWorker = startStoreWorker, workerEntry } = this.options;
    return startWorker(workerEntry);
  }

  leaveReplaced(path: string): void {
    retire(this.fileSystem, path, 'kept', this.options.clock.now());
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
