import { MessageChannel } from 'node:worker_threads';
import { Emitter } from '../../base/disposable';
import { Calls } from '../../base/threads/calls';
import { startThread, type MessagePort, type Thread } from '../../base/threads/channel';
import { t } from '../../base/translate';
import { StoreError, reviveStoreError, storeErrors } from '../storeError';
import type { OpenReport, StorePlace } from './openedStore';
import type { CallMethod } from '../session/sessionStore';
import type { StoreEvent } from './storeService';

type Event<T> = Emitter<T>['event'];

/** Starts the store's thread from its bundle. It begins to load SQLite at once, before it receives what to open.
 *  `data`: more start parameters, for entries that use them. */
export function startStoreWorker(entry: string, data?: object): Thread {
  return startThread(entry, { name: 'hermes-store', ...(data === undefined ? {} : { data }) });
}

/** An open store and its events. */
export interface RunningStore {
  /** Calls are sent in the order they are made; each promise settles with the result of its transaction. An aborted
   *  search rejects at once. An aborted change rejects when it has stopped, unless it was already done. */
  readonly call: CallMethod;
  /** A port at which the store's thread takes the same calls from another thread, in the order in which they arrive.
   *  It closes with the thread. */
  openPort(): MessagePort;
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

/** Client of the store's worker. */
export class StoreClient {
  private readonly calls: Calls;
  private readonly failures = new Emitter<StoreError>();
  private readonly backgroundFailures = new Emitter<StoreError>();
  private ended: StoreError | null = null;
  private closing: Promise<void> | null = null;
  readonly store: RunningStore;

  constructor(private readonly thread: Thread) {
    const calls = (this.calls = new Calls(thread, storeErrors, (event) => this.receive(event as StoreEvent)));
    this.store = {
      call: calls.call.bind(calls) as CallMethod,
      openPort: () => {
        const { port1, port2 } = new MessageChannel();
        calls.call('servePort', [port1], { transfer: [port1] }).catch(() => port2.close());
        return port2;
      },
      close: () => (this.closing ??= this.close()),
      onDidFail: this.failures.event,
      onDidFailInBackground: this.backgroundFailures.event,
      abandon: () => this.abandon(),
    };
    thread.onExit((technical) => {
      const sentence = t('Saving has stopped unexpectedly. Everything shown is saved. Choose Try Again to continue.');
      this.fail(new StoreError('unknown', sentence, technical));
    });
  }

  /** Opens the store. Rejects with the `StoreError` of the opening, after which the worker has ended. */
  async open(place: StorePlace): Promise<OpenReport> {
    try {
      return (await this.calls.call('open', [place])) as OpenReport;
    } catch (error) {
      void this.abandon();
      throw error;
    }
  }

  private receive({ kind, error }: StoreEvent): void {
    if (kind === 'broken') this.fail(reviveStoreError(error));
    else this.backgroundFailures.fire(reviveStoreError(error));
  }

  private async close(): Promise<void> {
    if (this.ended !== null) return;
    const closing = this.calls.call('close', []);
    this.calls.refuse(closedError());
    try {
      await closing;
    } catch (error) {
      // No thread was left for an orderly close; the file is in the same state as after a crash, which loses nothing.
      if (error !== this.ended) throw error;
    } finally {
      // Also scans that closing interrupted.
      void this.abandon();
    }
  }

  private abandon(): Promise<void> {
    this.end(closedError());
    return this.thread.terminate();
  }

  private fail(error: StoreError): void {
    if (this.ended !== null) return;
    this.end(error);
    this.failures.fire(error);
  }

  private end(error: StoreError): void {
    this.ended ??= error;
    this.calls.end(this.ended);
  }
}

export function closedError(): StoreError {
  return new StoreError('locked', t('Your sessions are closed in this window.'), 'The store has been closed.');
}
