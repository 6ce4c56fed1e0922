import { readdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { t, translations } from '../../base/translate';
import type { Clock } from '../../base/clock';
import type { SessionSummary } from '../../transcript/session';
import { StoreError, reviveStoreError } from '../storeError';
import type { LibraryOperations, TakenCopy } from './library';
import type { LibraryAnswer, LibraryMethod, LibraryRequest, LibraryThread } from './libraryMessages';
import type { OtherStore, StoreLocations } from './otherStore';

/** Milliseconds without a request and without a copy in use, after which the thread ends. */
const idleMs = 30_000;

type Results = { readonly [M in LibraryMethod]: ReturnType<LibraryOperations[M]> };

interface Pending {
  readonly resolve: (value: Results[LibraryMethod]) => void;
  readonly reject: (error: StoreError) => void;
}

/** Client of the library: a thread that runs only while it is needed. Every method rejects with a `StoreError`. */
export class LibraryClient {
  private readonly pending = new Map<number, Pending>();
  private readonly copies = new Set<string>();
  private worker: Worker | null = null;
  private lastId = 0;
  private cancelIdle: () => void = () => undefined;

  /** `entry`: path of `dist/libraryWorker.js`. */
  constructor(
    private readonly entry: string,
    private readonly thread: LibraryThread,
    private readonly clock: Clock,
  ) {}

  survey(locations: StoreLocations, since: number): Promise<readonly OtherStore[]> {
    return this.ask('survey', [locations, since]);
  }

  listSessions(folder: string, limit: number): Promise<readonly SessionSummary[]> {
    return this.ask('listSessions', [folder, limit]);
  }

  async takeCopy(folder: string, conversationOf: string | null): Promise<TakenCopy> {
    const copy = await this.ask('takeCopy', [folder, conversationOf]);
    this.copies.add(copy.folder);
    return copy;
  }

  async removeCopy(folder: string): Promise<void> {
    await this.ask('removeCopy', [folder]);
    this.copies.delete(folder);
    this.awaitIdle();
  }

  /** Removes files that an earlier process left: copies of sessions that the user may since have deleted for good.
   *  Starts no thread when there are none. */
  async sweep(): Promise<void> {
    const left = await readdir(this.thread.copies).catch(() => []);
    if (left.length > 0) await this.ask('sweep', []);
  }

  /** Removes all copies and ends the thread. */
  async close(): Promise<void> {
    this.cancelIdle();
    await Promise.all([...this.copies].map((folder) => this.removeCopy(folder).catch(() => undefined)));
    await this.end();
  }

  private async ask<M extends LibraryMethod>(method: M, args: Parameters<LibraryOperations[M]>): Promise<Results[M]> {
    this.cancelIdle();
    const worker = (this.worker ??= this.start());
    const id = ++this.lastId;
    try {
      return await new Promise<Results[M]>((resolve, reject) => {
        this.pending.set(id, { resolve: (value) => resolve(value as Results[M]), reject });
        worker.postMessage({ id, method, args } as LibraryRequest);
      });
    } finally {
      this.pending.delete(id);
      this.awaitIdle();
    }
  }

  private start(): Worker {
    const worker = new Worker(this.entry, {
      name: 'hermes-library',
      workerData: { ...this.thread, translations: translations() },
    });
    worker.on('message', (answer: LibraryAnswer) => {
      const pending = this.pending.get(answer.id);
      if ('error' in answer) pending?.reject(reviveStoreError(answer.error));
      else pending?.resolve(answer.value);
    });
    worker.on('error', (error) => this.failed(worker, String(error)));
    worker.on('exit', (code) => this.failed(worker, `the thread ended with code ${code}`));
    // A closing window does not wait for the thread.
    worker.unref();
    return worker;
  }

  private failed(worker: Worker, technical: string): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.copies.clear();
    for (const { reject } of this.pending.values())
      reject(new StoreError('unknown', t('Sessions of other folders couldn’t be read. Try again.'), technical));
  }

  /** Ends the thread when it is idle. The thread holds the copies, so it stays while there are any. */
  private awaitIdle(): void {
    this.cancelIdle();
    if (this.pending.size > 0 || this.copies.size > 0) return;
    this.cancelIdle = this.clock.after(idleMs, () => void this.end());
  }

  private async end(): Promise<void> {
    const worker = this.worker;
    this.worker = null;
    await worker?.terminate();
  }
}
