import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { errnoOf, writeNewFile } from '../engine/fileSystem';
import { NodeFileSystem } from '../engine/nodeFileSystem';
import { acquireLock } from '../lock/acquireLock';
import type { LockEndpoint } from '../lock/lockRecord';
import { SystemProcessTable } from '../lock/processLookup';
import { retire } from '../open/replacedFiles';
import { storeFiles } from '../open/storeFiles';
import { startNodeWorker } from '../worker/nodeWorkerPort';
import { StoreClient, type RunningStore, type WorkerPort } from '../worker/storeClient';
import type { OpenReport, StorePlace } from '../worker/openedStore';
import { usualPatience, type OwnershipAttempt, type OwnershipPatience } from './lockAcquisition';
import { StoreConnection, type OpenOptions, type StoreHome } from './storeConnection';
import { siblingFoldersOf, storeFolderOf } from './storeFolder';

/** Bytes; more than an opening after a crash writes. */
const probeBytes = 1 << 20;

interface OpenStoreOptions {
  /** `context.storageUri` from VS Code, or the folder from the settings. */
  readonly storageFolder: string;
  /** Path of `dist/storeWorker.js`. */
  readonly workerEntry: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly patience?: OwnershipPatience;
  /** Starts a thread. Default: `startNodeWorker`. */
  readonly startWorker?: (entry: string) => WorkerPort;
  /** `whenAsked`: touches nothing before `open` is called, for a window that has never stored anything. Default:
   *  `atOnce`. */
  readonly opens?: 'atOnce' | 'whenAsked';
  /** Read at each opening. */
  readonly surroundings?: () => Pick<StorePlace, 'sharedFolders' | 'liveTurns'>;
  /** Called before each opening that may change the files, while the lock is held. Never rejects. */
  readonly beforeOpening?: () => Promise<void>;
}

/** Connects this window to the history of its folder. Opens it at once unless `opens` says otherwise; follow
 *  `onDidChangeState`. */
export function openStore(options: OpenStoreOptions): StoreConnection {
  const { clock, log, patience = usualPatience } = options;
  const connection = new StoreConnection(storeHome(options), clock, log, patience);
  if (options.opens !== 'whenAsked') void connection.open();
  return connection;
}

/** A folder in which a window keeps its history, or to which it moves. */
export function storeHome({
  storageFolder,
  workerEntry,
  clock,
  startWorker = startNodeWorker,
  surroundings,
  beforeOpening,
}: Pick<
  OpenStoreOptions,
  'storageFolder' | 'workerEntry' | 'clock' | 'startWorker' | 'surroundings' | 'beforeOpening'
>): StoreHome {
  return new NodeStoreHome(
    storeFolderOf(storageFolder),
    () => startWorker(workerEntry),
    clock,
    surroundings ?? (() => ({})),
    beforeOpening ?? (() => Promise.resolve()),
  );
}

/** A folder on this machine's disk; a worker thread serves its store. */
class NodeStoreHome implements StoreHome {
  private readonly fileSystem = new NodeFileSystem();
  private readonly processes = new SystemProcessTable();
  private spare: WorkerPort | null = null;

  constructor(
    private readonly folder: string,
    private readonly startWorker: () => WorkerPort,
    private readonly clock: Clock,
    private readonly surroundings: () => Pick<StorePlace, 'sharedFolders' | 'liveTurns'>,
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

  async open({ fence, salvage, bringsBack }: OpenOptions): Promise<{ store: RunningStore; report: OpenReport }> {
    if (fence !== null) await this.beforeOpening();
    const client = new StoreClient(this.spare ?? this.startWorker());
    this.spare = null;
    const report = await client.open({
      folder: this.folder,
      fence,
      salvage,
      bringsBack,
      siblings: siblingFoldersOf(this.folder, namesIn),
      ...this.surroundings(),
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

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // A folder that cannot be listed contains no siblings of ours.
    if (['ENOENT', 'EACCES', 'EPERM'].includes(errnoOf(error))) return [];
    throw error;
  }
}
