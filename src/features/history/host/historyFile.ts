import { rm } from 'node:fs/promises';
import type { Uri } from 'vscode';
import type { Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { ExportedConversation, OpenedFile } from '../core/import/importing';
import { promisedOperations } from '../../../store/session/sessionStore';
import type { SessionStore } from '../../../store/session/sessionStore';
import { StoreError } from '../../../store/storeError';
import { StoreClient, type RunningStore } from '../../../store/worker/storeClient';
import { withProgressWhenLong } from '../../../host/notifications/longWork';
import type { HistoryServices } from './historyServices';

type ReadingServices = Pick<HistoryServices, 'openImporter' | 'startWorker' | 'notice' | 'clock'>;

export interface ReadFile {
  /** Newest first. Never empty. */
  readonly conversations: readonly ExportedConversation[];
  /** Seconds since the epoch. */
  readonly readAt: number;
}

interface OpenFile extends ReadFile {
  readonly running: RunningStore;
}

/** The sessions of a file, in a private copy that is made when they are first needed. The file is only read. */
export class HistoryFile implements Disposable {
  /** Reads the file where necessary. */
  readonly store: Omit<SessionStore, 'close'> = promisedOperations(async (...call) =>
    (await this.open()).running.call(...call),
  );
  private readonly stop = new AbortController();
  private opening: Promise<OpenFile> | null = null;

  constructor(
    private readonly uri: Uri,
    private readonly services: ReadingServices,
  ) {}

  /** Lists its sessions, as of when it was read. Rejects with a sentence when it cannot be read, or the user stopped
   *  the reading; the next call tries again. */
  read(): Promise<ReadFile> {
    return this.open();
  }

  /** Makes the next call read the file again. */
  forget(): void {
    const { opening } = this;
    this.opening = null;
    // A copy that cannot be removed is removed when the next window sweeps.
    opening?.then(({ running }) => running.close()).catch(() => undefined);
  }

  dispose(): void {
    this.stop.abort();
    this.forget();
  }

  private open(): Promise<OpenFile> {
    if (this.opening !== null) return this.opening;
    const opening = this.readNow();
    this.opening = opening;
    opening.catch(() => this.opening === opening && (this.opening = null));
    return opening;
  }

  private async readNow(): Promise<OpenFile> {
    const { fsPath, scheme } = this.uri;
    if (scheme !== 'file')
      throw new StoreError(
        'invalid',
        t('Only files on the machine that runs Hermes can be read.'),
        `a ${scheme}: file`,
      );
    const { clock, notice } = this.services;
    const stopped = new GatewayError('stopped', t('Reading was canceled.'));
    const { folder, conversations } = await withProgressWhenLong(
      { clock, notice },
      t('Reading sessions…'),
      stopped,
      (signal, onProgress) => this.copy(fsPath, AbortSignal.any([signal, this.stop.signal]), onProgress),
    );
    try {
      const running = await this.openCopy(folder);
      return { running, conversations, readAt: clock.now() };
    } catch (error) {
      await removeCopy(folder);
      throw error;
    }
  }

  private async copy(
    path: string,
    signal: AbortSignal,
    onProgress: (progress: { readonly done: number; readonly total: number }) => void,
  ): Promise<OpenedFile> {
    const reader = this.services.openImporter();
    try {
      const opened = await reader.openFile(path, {
        signal,
        onProgress: ({ sessionsDone, sessionsTotal }) => onProgress({ done: sessionsDone, total: sessionsTotal }),
      });
      const conversations = withContent(opened.conversations);
      if (conversations.length > 0 && !signal.aborted) return { ...opened, conversations };
      await removeCopy(opened.folder);
      throw new StoreError('not-found', t('No sessions were found there.'), `${path} holds no session`);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await reader.close();
    }
  }

  private async openCopy(folder: string): Promise<RunningStore> {
    const client = new StoreClient(this.services.startWorker());
    await client.open({ folder, fence: null, salvage: false });
    const { store } = client;
    store.onDidFail(() => this.forget());
    const close = async (): Promise<void> => {
      await store.close();
      await removeCopy(folder);
    };
    return { ...store, close };
  }
}

/** Leaves out sessions without a message, unless there are no others. */
function withContent(conversations: readonly ExportedConversation[]): readonly ExportedConversation[] {
  const filled = conversations.filter(({ messages }) => messages > 0);
  return filled.length === 0 ? conversations : filled;
}

function removeCopy(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}
