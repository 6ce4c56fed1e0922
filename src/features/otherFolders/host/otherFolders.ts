import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Emitter, type Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import { type CopiedSessions, copiedTogether, nothingCopied } from '../../../store/sessionCopying';
import { copiedStoreKey } from '../../../store/library/folderLabel';
import type { LibraryClient } from '../core/libraryClient';
import type { OtherStore, StoreLocations } from '../../../store/library/otherStore';
import type { WindowContext } from '../../../host/window/windowContext';
import type { SessionSummary } from '../../../transcript/session';

/** Sessions per transaction. Other requests run between two transactions. */
const batchSize = 25;
/** Folders next to a folder's store: notes that memory keeps for it. */
const besideTheStore = ['memories'];

/** History of another folder, as seen from this window. */
export interface OtherFolder extends OtherStore {
  /** Last use of the sessions in it when all were imported into this folder's history, in seconds since the epoch.
   *  Null: never. */
  readonly broughtAt: number | null;
}

/** Import progress, in sessions. */
export interface BringingProgress {
  readonly done: number;
  readonly total: number;
}

/** Finds, lists and imports the histories of other folders. Never writes to them. Rejects with sentences for the
 *  user. */
export class OtherFolders implements Disposable {
  private readonly changes = new Emitter<void>();
  /** Emitted when something was imported. */
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly library: Pick<LibraryClient, 'survey' | 'listSessions' | 'takeCopy' | 'removeCopy'>,
    private readonly window: Pick<WindowContext, 'gateway' | 'history'>,
    private readonly locations: () => StoreLocations,
  ) {}

  /** Those that were written since then, in seconds since the epoch; most recently used first. Leaves out empty
   *  histories. */
  async list(since = 0): Promise<readonly OtherFolder[]> {
    const stores = await this.library.survey(this.locations(), since);
    const worth = stores.filter(({ sessions, problem }) => sessions > 0 || problem !== null);
    return Promise.all(worth.map(async (store) => ({ ...store, broughtAt: await this.broughtAt(store) })));
  }

  /** Current state of the history in this folder. Null: it no longer exists. */
  async named(folder: string): Promise<OtherFolder | null> {
    return (await this.list()).find((found) => found.folder === folder) ?? null;
  }

  /** Newest activity first, at most `limit`. */
  sessionsOf(folder: string, limit: number): Promise<readonly SessionSummary[]> {
    return this.library.listSessions(folder, limit);
  }

  /** Imports everything of a folder, which becomes this folder's own history. If the signal stops it, imported
   *  sessions stay, and the next call continues. */
  async bringAll(
    store: OtherStore,
    onProgress: (progress: BringingProgress) => void,
    signal?: AbortSignal,
  ): Promise<CopiedSessions> {
    const brought = await this.window.history.connection.during(this.bring(store.folder, null, onProgress, signal));
    if (signal?.aborted === true) return brought;
    const own = this.locations().own;
    for (const name of besideTheStore) await bringFiles(join(store.folder, name), join(own, name));
    await this.window.history.store.setMeta(copiedStoreKey(store), String(store.lastActiveAt));
    this.changes.fire();
    return brought;
  }

  /** Imports one session. Its pending work stays in the old folder. */
  async bringSession(folder: string, sessionId: string): Promise<CopiedSessions> {
    const brought = await this.window.history.connection.during(this.bring(folder, sessionId, () => undefined));
    this.changes.fire();
    return brought;
  }

  dispose(): void {
    this.changes.dispose();
  }

  private async bring(
    folder: string,
    conversationOf: string | null,
    onProgress: (progress: BringingProgress) => void,
    signal?: AbortSignal,
  ): Promise<CopiedSessions> {
    const { library } = this;
    const { gateway, history } = this.window;
    await history.status.settled();
    const copy = await library.takeCopy(folder, conversationOf);
    try {
      if (copy.answering !== null)
        throw new GatewayError(
          'busy',
          t('Hermes is answering in that folder’s window. Wait or stop it there, then copy the sessions.'),
        );
      let sum = nothingCopied;
      for (let done = 0; done < copy.sessionIds.length && signal?.aborted !== true; done += batchSize) {
        onProgress({ done, total: copy.sessionIds.length });
        const sessionIds = copy.sessionIds.slice(done, done + batchSize);
        const moves = conversationOf === null;
        sum = copiedTogether(sum, await gateway.actions.copyToThisFolder({ folder: copy.folder, sessionIds, moves }));
      }
      return sum;
    } finally {
      await library.removeCopy(copy.folder);
    }
  }

  private async broughtAt(store: OtherStore): Promise<number | null> {
    if (!this.window.history.status.isReadable) return null;
    const at = await this.window.history.store.getMeta(copiedStoreKey(store));
    return at === null ? null : Number(at);
  }
}

/** Copies files, but keeps those that already exist here. */
async function bringFiles(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, force: false, errorOnExist: false }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
}
