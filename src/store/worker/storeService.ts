import type { Clock } from '../../base/clock';
import type { SpillPlace } from '../spill/spillStore';
import type { SearchProgress } from '../sessionStore';
import type { OpenedStore, StorePlace } from './openedStore';
import { RequestQueue } from './requestQueue';
import { perform, type MethodName, type MethodResults, type StoreRequest } from './sessionMethods';
import { storeErrorData } from './storeErrorData';
import type { FromWorker, ToWorker } from './workerMessages';

/** How long no request may have come before the store does its own housekeeping. */
const idleAfterMs = 1000;
/** The longest a slice of a scan may keep a chunk waiting. */
const sliceMs = 20;
/** What closing may spend on the search index; the rest is indexed after the next opening. */
const closingIndexMs = 150;

type Call = StoreRequest & { readonly id: number };
/** Work done in slices between requests: every `next()` is one slice. */
type SlicedWork = Generator<SearchProgress | undefined | void, MethodResults[MethodName] | void>;
interface Scan {
  /** Null for the store's own housekeeping, which nobody waits for. */
  readonly id: number | null;
  readonly work: SlicedWork;
}

/** Serves an open store over a message port: one request at a time, each one transaction; scans in slices between requests; indexing and
 *  checkpoints when nobody asks for anything. Knows nothing of threads. */
export class StoreService {
  private readonly queue = new RequestQueue<Call>();
  private scans: readonly Scan[] = [];
  private store: OpenedStore | null = null;
  private pumping = false;
  private closing = false;
  private dirty = true;
  private indexRows = 16;
  private cancelIdle: () => void = () => undefined;

  constructor(
    private readonly openStore: (place: StorePlace | SpillPlace) => Promise<OpenedStore>,
    private readonly post: (message: FromWorker) => void,
    private readonly clock: Clock,
    /** Runs a callback after the messages that have already arrived were received. */
    private readonly soon: (callback: () => void) => void,
  ) {}

  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'open':
        void this.open(message.place);
        return;
      case 'call':
        this.queue.push({ ...message.request, id: message.id });
        return this.pump();
      case 'cancel':
        this.queue.remove((call) => call.id === message.id);
        this.scans = this.scans.filter((scan) => scan.id !== message.id);
        return;
      case 'close':
        this.closing = true;
        return this.pump();
    }
  }

  private async open(place: StorePlace | SpillPlace): Promise<void> {
    try {
      this.store = await this.openStore(place);
      this.post({ kind: 'opened', report: this.store.report });
      this.pump();
    } catch (error) {
      this.post({ kind: 'openFailed', error: storeErrorData(error) });
    }
  }

  private pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    this.cancelIdle();
    this.soon(() => {
      this.pumping = false;
      this.step();
    });
  }

  /** One request, or one slice of a scan when no request waits. */
  private step(): void {
    if (!this.store) return;
    const call = this.queue.take();
    if (call) this.serve(call, this.store);
    else if (this.closing) return this.close(this.store);
    else this.slice();
    if (this.queue.size > 0 || this.scans.length > 0 || this.closing) this.pump();
    else this.awaitIdle();
  }

  private serve(call: Call, store: OpenedStore): void {
    this.answer(call.id, () => {
      const scan = scanOf(call, store);
      if (scan) return this.startScan({ id: call.id, work: scan });
      this.dirty = true;
      const value = perform(store.operations, call.method, call.args);
      this.post({ kind: 'result', id: call.id, value });
    });
  }

  private startScan(scan: Scan): void {
    this.scans = [...this.scans, scan];
  }

  /** The oldest scan somebody waits for goes first; housekeeping last. */
  private slice(): void {
    const scan = this.scans.find((one) => one.id !== null) ?? this.scans[0];
    if (!scan) return;
    this.answer(scan.id, () => {
      const step = this.advance(scan);
      if (!step.done) {
        if (scan.id !== null && step.value) this.post({ kind: 'progress', id: scan.id, progress: step.value });
        return;
      }
      this.scans = this.scans.filter((one) => one !== scan);
      if (scan.id !== null) this.post({ kind: 'result', id: scan.id, value: step.value as MethodResults[MethodName] });
    });
  }

  private advance(scan: Scan): IteratorResult<SearchProgress | undefined | void, MethodResults[MethodName] | void> {
    try {
      return scan.work.next();
    } catch (error) {
      this.scans = this.scans.filter((one) => one !== scan);
      throw error;
    }
  }

  private answer(id: number | null, work: () => void): void {
    try {
      work();
    } catch (error) {
      const data = storeErrorData(error);
      this.post(id === null ? { kind: 'backgroundError', error: data } : { kind: 'error', id, error: data });
      if (this.store?.mustReopen() === true) this.post({ kind: 'broken', error: data });
    }
  }

  private awaitIdle(): void {
    this.cancelIdle();
    if (!this.dirty || this.store?.report.readOnly !== null) return;
    this.cancelIdle = this.clock.after(idleAfterMs, () => {
      if (!this.store || this.closing) return;
      this.dirty = false;
      this.startScan({ id: null, work: this.housekeeping(this.store) });
      this.pump();
    });
  }

  private *housekeeping(store: OpenedStore): Generator<void, void> {
    while (this.indexSlice(store) > 0) yield;
    yield;
    store.operations.checkpoint();
  }

  /** Indexes as many rows as fit into half a slice; merges of the index make single batches much longer than the last. */
  private indexSlice(store: OpenedStore): number {
    const started = this.clock.monotonicMs();
    const left = store.operations.indexBatch(this.indexRows);
    const tookMs = this.clock.monotonicMs() - started;
    if (tookMs > sliceMs / 2) this.indexRows = Math.max(1, Math.floor(this.indexRows / 2));
    else if (tookMs < sliceMs / 4) this.indexRows = Math.min(512, this.indexRows * 2);
    return left;
  }

  private close(store: OpenedStore): void {
    this.store = null;
    this.scans = [];
    let failure: unknown = null;
    try {
      if (store.report.readOnly === null) this.tidy(store);
    } catch (error) {
      failure = error;
    }
    try {
      store.close();
    } catch (error) {
      failure ??= error;
    }
    this.post({ kind: 'closed', error: failure === null ? null : storeErrorData(failure) });
  }

  private tidy(store: OpenedStore): void {
    const until = this.clock.monotonicMs() + closingIndexMs;
    while (this.clock.monotonicMs() < until && this.indexSlice(store) > 0);
    store.operations.checkpoint();
  }
}

/** Methods that read without bound, as slices. */
function scanOf(call: Call, store: OpenedStore): SlicedWork | null {
  switch (call.method) {
    case 'search':
      return store.searchSlices(...call.args);
    case 'verifyIntegrity':
      return afterOthers(() => store.operations.verifyIntegrity());
    default:
      return null;
  }
}

/** SQLite's integrity check cannot be interrupted: it runs whole (seconds for hundreds of thousands of messages), when nothing else waits. */
function* afterOthers<T>(work: () => T): Generator<void, T> {
  yield;
  return work();
}
