import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Owner } from '../../base/disposable';
import type { Thread } from '../../base/threads/channel';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { replacedFiles, rescueFolderIn } from '../../store/open/replacedFiles';
import { storeFiles } from '../../store/open/storeFiles';
import { openStore, NodeStoreHome } from '../../store/ownership/openStore';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import { storeFolderOf } from '../../store/ownership/storeFolder';
import type { SessionStore } from '../../store/session/sessionStore';
import { startStoreWorker } from '../../store/worker/storeClient';
import { upAfterMs, compiledFolderOf, type StoreThreadData } from '../start/compiledBundle';
import { StoreStatus } from '../storage/storeStatus';
import { windowStorageFolder } from '../storage/windowStorage';
import type { WindowBasics } from './windowBasics';

/** History of one window: its folder, the connection to it, and the store for all writes. Starts to open the history
 *  on construction, if one exists. */
export class WindowStore extends Owner {
  private readonly workerEntry: string;
  private readonly threadData: StoreThreadData;
  private folderNow: string;
  /** True while a backup takes the place of the store, until that is open. */
  isReplacing = false;
  readonly connection: StoreConnection;
  readonly status: StoreStatus;

  constructor(private readonly window: WindowBasics) {
    super();
    const { context, distFolder, log } = window;
    // Contains `storeThread.js` and the bundle it runs.
    this.workerEntry = join(distFolder, 'storeThread.js');
    this.threadData = { compiledFolder: compiledFolderOf(context), keepAfterMs: upAfterMs };
    const storageFolder = (this.folderNow = this.wantedFolder());
    log.info(`This window keeps its sessions in ${storageFolder}.`);
    this.connection = openStore({
      ...this.home(storageFolder),
      log,
      opens: this.holdsHistory ? 'atOnce' : 'whenAsked',
    });
    this.status = this.lifetime.register(new StoreStatus(this.connection));
  }

  get store(): SessionStore {
    return this.connection.store;
  }

  /** Folder from the editor or the settings. */
  get storageFolder(): string {
    return this.folderNow;
  }

  /** Folder that holds `state.db`. */
  get folder(): string {
    return storeFolderOf(this.folderNow);
  }

  /** True when a history exists there: the file, or a copy of one that was deleted while it was open. */
  get holdsHistory(): boolean {
    const copies = [this.folder, ...this.sharedFolders.map((shared) => rescueFolderIn(shared, this.folder))];
    return existsSync(storeFiles(this.folder).main) || replacedFiles(new NodeFileSystem(), copies).length > 0;
  }

  /** Folder of this window's history according to the current settings. */
  wantedFolder(): string {
    return windowStorageFolder(this.window.context, this.window.settings.current.storagePath);
  }

  /** Starts a worker thread for a store. */
  readonly startWorker = (): Thread => startStoreWorker(this.workerEntry, this.threadData);

  /** Closes the history and opens it in another folder. */
  moveTo(storageFolder: string): void {
    this.folderNow = storageFolder;
    void this.connection.moveTo(new NodeStoreHome(this.home(storageFolder)));
    if (this.holdsHistory) this.status.begin();
  }

  /** Folders that may hold a replaced store, or an answer that an earlier build could not save: it also used
   *  temporary folders. */
  private get sharedFolders(): readonly string[] {
    const { globalStorageUri, globalState } = this.window.context;
    const temporary: unknown = globalState.get('spillFolders');
    const folders: readonly unknown[] = Array.isArray(temporary) ? temporary : [];
    return [
      join(globalStorageUri.fsPath, 'unsaved'),
      ...folders.filter((folder) => typeof folder === 'string').filter((folder) => existsSync(folder)),
    ];
  }

  private home(storageFolder: string) {
    return {
      storageFolder,
      workerEntry: this.workerEntry,
      copies: join(this.window.context.globalStorageUri.fsPath, 'reading'),
      startWorker: this.startWorker,
      clock: this.window.clock,
      sharedFolders: () => this.sharedFolders,
      beforeOpening: async () => {
        // Features register in the task that builds this.
        await Promise.resolve();
        const told = await Promise.all(this.window.beforeOpening.run(storeFolderOf(storageFolder)));
        const sentences = told.filter((sentence) => sentence !== null);
        this.status.setNotices(
          'before opening',
          sentences.map((sentence) => ({ sentence, actions: [] })),
        );
      },
    };
  }
}
