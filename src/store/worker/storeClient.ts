import { t } from '../../base/translate';
import { Emitter } from '../../base/disposable';
import { StoreError, reviveStoreError } from '../storeError';
import { withEntries, type WorkProgress } from '../slicedWork';
import type { OpenReport, StorePlace } from './openedStore';
import {
  isRead,
  type CallMethod,
  type MethodArguments,
  type MethodName,
  type MethodResults,
  type StoreRequest,
} from '../sessionMethods';
import type { FromWorker, ToWorker } from './workerMessages';

type Event<T> = Emitter<T>['event'];

/** A worker thread, as the client sees it. */
export interface WorkerPort {
  post(message: ToWorker): void;
  onMessage(listener: (message: FromWorker) => void): void;
  /** Called once, when the thread has ended; `technical` is the reason. */
  onExit(listener: (technical: string) => void): void;
  /** Ends the thread at once. Resolves when it has ended. */
  terminate(): Promise<void>;
}

/** An open store and its events. */
export interface RunningStore {
  /** Calls are sent in the order they are made; each promise settles with the result of its transaction. An aborted
   *  search rejects at once. An aborted change rejects when it has stopped, unless it was already done. */
  readonly call: CallMethod;
  /** Finishes every call already made, checkpoints and closes. Rejects when the final cleanup failed; the file is
   *  closed then too. */
  close(): Promise<void>;
  /** The store can no longer be used: its thread has died, or its disk failed in a way that only reopening can fix.
   *  Fires once; every pending call has been rejected. */
  readonly onDidFail: Event<StoreError>;
  /** Work that no caller waits for (indexing, a checkpoint) failed; the store continues. */
  readonly onDidFailInBackground: Event<StoreError>;
  /** Ends the thread without closing anything, when another process owns the file. */
  abandon(): Promise<void>;
}

interface PendingCall {
  /** Entries of the result that have already arrived. */
  readonly entries: unknown[];
  readonly onProgress: ((progress: WorkProgress) => void) | undefined;
  readonly cancelled: () => void;
  readonly resolve: (value: MethodResults[MethodName]) => void;
  readonly reject: (error: unknown) => void;
}

/** Client of the store's worker. */
export class StoreClient {
  private readonly pending = new Map<number, PendingCall>();
  private readonly failures = new Emitter<StoreError>();
  private readonly backgroundFailures = new Emitter<StoreError>();
  private lastId = 0;
  private ended: StoreError | null = null;
  private opening: { resolve: (report: OpenReport) => void; reject: (error: StoreError) => void } | null = null;
  private closing: { promise: Promise<void>; resolve: () => void; reject: (error: StoreError) => void } | null = null;

  constructor(private readonly port: WorkerPort) {
    port.onMessage((message) => this.receive(message));
    port.onExit((technical) => this.exited(technical));
  }

  /** Opens the store. Rejects with the `StoreError` of the opening, after which the worker has ended. */
  open(place: StorePlace): Promise<OpenReport> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      this.opening = { resolve, reject };
      this.port.post({ kind: 'open', place });
    });
  }

  readonly store: RunningStore = {
    call: (method, args, signal, onProgress) => this.call(method, args, signal, onProgress),
    close: () => this.close(),
    onDidFail: this.failures.event,
    onDidFailInBackground: this.backgroundFailures.event,
    abandon: () => this.abandon(),
  };

  private call<M extends MethodName>(
    method: M,
    args: MethodArguments[M],
    signal?: AbortSignal,
    onProgress?: (progress: WorkProgress) => void,
  ): Promise<MethodResults[M]> {
    return new Promise((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      if (this.closing) return reject(closedError());
      if (signal?.aborted) return reject(signal.reason);
      const id = ++this.lastId;
      const abort = (): void => {
        if (!this.pending.has(id)) return;
        this.port.post({ kind: 'cancel', id });
        // An aborted read has nothing to wait for. For a change, the response shows if it was made before it could be
        // stopped.
        if (isRead(method)) this.take(id)?.reject(signal?.reason);
      };
      const settled = (): void => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      this.pending.set(id, {
        entries: [],
        onProgress,
        cancelled: () => reject(signal?.aborted === true ? signal.reason : closedError()),
        resolve: (value) => {
          settled();
          resolve(value as MethodResults[M]);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.post(id, { method, args } as StoreRequest);
    });
  }

  private post(id: number, request: StoreRequest): void {
    try {
      this.port.post({ kind: 'call', id, request });
    } catch (error) {
      // Reached only for an argument that cannot be cloned.
      this.take(id)?.reject(
        new StoreError('invalid', t('This couldn’t be saved because it contains invalid data.'), String(error)),
      );
    }
  }

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case 'opened':
        this.opening?.resolve(message.report);
        this.opening = null;
        return;
      case 'openFailed':
        this.opening?.reject(reviveStoreError(message.error));
        this.opening = null;
        void this.abandon();
        return;
      case 'result': {
        const call = this.take(message.id);
        return call?.resolve(withEntries(call.entries, message.value));
      }
      case 'error':
        return this.take(message.id)?.reject(reviveStoreError(message.error));
      case 'slice': {
        const call = this.pending.get(message.id);
        if (call === undefined) return;
        if (message.entries !== undefined) call.entries.push(...message.entries);
        if (message.progress !== undefined) call.onProgress?.(message.progress);
        return;
      }
      case 'cancelled':
        return this.take(message.id)?.cancelled();
      case 'broken': {
        if (this.ended) return;
        const error = reviveStoreError(message.error);
        this.rejectAll(error);
        return this.failures.fire(error);
      }
      case 'backgroundError':
        return this.backgroundFailures.fire(reviveStoreError(message.error));
      case 'closed': {
        if (message.error) this.closing?.reject(reviveStoreError(message.error));
        // Scans that closing interrupted.
        this.rejectAll(closedError());
        void this.port.terminate();
        return;
      }
    }
  }

  private take(id: number): PendingCall | undefined {
    const call = this.pending.get(id);
    this.pending.delete(id);
    return call;
  }

  private close(): Promise<void> {
    if (this.closing) return this.closing.promise;
    if (this.ended) return Promise.resolve();
    const { promise, resolve, reject } = deferred();
    this.closing = { promise, resolve, reject };
    this.port.post({ kind: 'close' });
    return promise;
  }

  private abandon(): Promise<void> {
    this.rejectAll(this.ended ?? closedError());
    return this.port.terminate();
  }

  private exited(technical: string): void {
    if (this.ended) return;
    const error = new StoreError(
      'unknown',
      t('Saving has stopped unexpectedly. Everything shown is saved. Retry to continue.'),
      technical,
    );
    this.rejectAll(error);
    this.failures.fire(error);
  }

  private rejectAll(error: StoreError): void {
    this.ended ??= error;
    this.opening?.reject(error);
    this.opening = null;
    // No thread is left for an orderly close; the file is in the same state as after a crash, which loses nothing.
    this.closing?.resolve();
    for (const call of this.pending.values()) call.reject(error);
    this.pending.clear();
  }
}

export function closedError(): StoreError {
  return new StoreError('locked', t('Your sessions are closed in this window.'), 'The store has been closed.');
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: StoreError) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: StoreError) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
