import type { Clock } from '../../base/clock';
import { sliceMs, StoppedWork, type SlicedWork } from '../slicedWork';
import type { OpenedStore, StorePlace } from './openedStore';
import { RequestQueue, type UnderWay } from './requestQueue';
import { perform, performInSlices, type MethodName, type MethodResults, type StoreRequest } from '../sessionMethods';
import { storeErrorData } from '../storeError';
import type { FromWorker, ToWorker } from './workerMessages';

/** Milliseconds without a request after which the store does its housekeeping. */
const idleAfterMs = 1000;
/** Milliseconds without a request after which the log is emptied into the file: a page is then written once for many
 *  turns. */
const checkpointAfterMs = 30_000;
/** Milliseconds that closing may spend on the search index; the rest is indexed after the next opening. */
const closingIndexMs = 150;

type Call = StoreRequest & { readonly id: number };
type Work = SlicedWork<MethodResults[MethodName] | void>;

/** Work that runs between requests. */
interface Scan {
  /** Null for the store's own housekeeping, for which no caller waits. */
  readonly id: number | null;
  readonly work: Work;
  /** The call it works for, if requests with common subjects have to wait for it; null for reads. */
  readonly call: Call | null;
  readonly openTurn?: string | null;
  isStopping: boolean;
}

/** Serves an open store over a message port: one request at a time, each one transaction. Long work runs in slices,
 *  with other requests in between; indexing and checkpoints run when there are no requests. Independent of threads. */
export class StoreService {
  private readonly queue = new RequestQueue<Call>();
  private scans: readonly Scan[] = [];
  private store: OpenedStore | null = null;
  private pumping = false;
  private closing = false;
  private dirty = true;
  private isCheckpointDue = true;
  private indexRows = 16;
  private cancelIdle: () => void = () => undefined;

  constructor(
    private readonly openStore: (place: StorePlace) => Promise<OpenedStore>,
    private readonly post: (message: FromWorker) => void,
    private readonly clock: Clock,
    /** Runs a callback after all messages that have already arrived were received. */
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
        return this.cancel(message.id);
      case 'close':
        this.closing = true;
        // Work that undoes its changes when stopped is stopped; the rest is finished.
        for (const scan of this.scans) scan.isStopping = true;
        return this.pump();
    }
  }

  private async open(place: StorePlace): Promise<void> {
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

  /** Runs one request, or one slice when no waiting request can run. */
  private step(): void {
    if (!this.store) return;
    const call = this.queue.take(this.held);
    if (call) this.serve(call, this.store);
    else if (this.closing && this.held.length === 0) return this.close(this.store);
    else this.slice();
    if (this.queue.size > 0 || this.scans.length > 0 || this.closing) this.pump();
    else this.awaitIdle();
  }

  /** The calls in progress. */
  private get held(): readonly UnderWay[] {
    return this.scans.flatMap(({ call, openTurn = null }) => (call === null ? [] : [{ request: call, openTurn }]));
  }

  private serve(call: Call, store: OpenedStore): void {
    this.answer(call.id, () => {
      const background = backgroundWork(call, store);
      if (background) return this.startScan({ id: call.id, work: background, call: null, isStopping: false });
      this.dirty = true;
      this.isCheckpointDue = true;
      const work = performInSlices(store.slices, call.method, call.args);
      if (work === null)
        return this.post({ kind: 'result', id: call.id, value: perform(store.operations, call.method, call.args) });
      const scan: Scan = { id: call.id, work, call, openTurn: openTurnBeside(call, store), isStopping: this.closing };
      this.startScan(scan);
      this.advance(scan);
    });
  }

  private startScan(scan: Scan): void {
    this.scans = [...this.scans, scan];
  }

  /** Order: first work that other requests wait for, then the oldest work with a waiting caller, then housekeeping. */
  private slice(): void {
    const scan =
      this.scans.find(({ call }) => call !== null) ?? this.scans.find(({ id }) => id !== null) ?? this.scans[0];
    if (scan) this.answer(scan.id, () => this.advance(scan));
  }

  private advance(scan: Scan): void {
    const step = this.next(scan);
    if (step === null || scan.id === null) return;
    if (step.done === true) this.post({ kind: 'result', id: scan.id, value: step.value as MethodResults[MethodName] });
    else if (step.value) this.post({ kind: 'slice', id: scan.id, ...step.value });
  }

  /** Null when the work was stopped. */
  private next(scan: Scan): ReturnType<Work['next']> | null {
    const over = (): void => {
      this.scans = this.scans.filter((one) => one !== scan);
    };
    try {
      const step = scan.work.next(scan.isStopping);
      if (step.done === true) over();
      return step;
    } catch (error) {
      over();
      if (!(error instanceof StoppedWork)) throw error;
      // It may have left rows that nothing finds any more.
      this.dirty = true;
      if (scan.id !== null) this.post({ kind: 'cancelled', id: scan.id });
      return null;
    }
  }

  private cancel(id: number): void {
    if (this.queue.remove((call) => call.id === id).length > 0) return this.post({ kind: 'cancelled', id });
    const scan = this.scans.find((one) => one.id === id);
    if (scan === undefined) return;
    if (scan.call === null) this.scans = this.scans.filter((one) => one !== scan);
    else scan.isStopping = true;
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
    if ((!this.dirty && !this.isCheckpointDue) || this.store?.report.readOnly !== null) return;
    this.cancelIdle = this.clock.after(this.dirty ? idleAfterMs : checkpointAfterMs, () => {
      if (!this.store || this.closing) return;
      const work = this.dirty ? this.housekeeping(this.store) : this.checkpointing(this.store);
      this.dirty = false;
      this.startScan({ id: null, work, call: null, isStopping: false });
      this.pump();
    });
  }

  private *housekeeping(store: OpenedStore): Work {
    yield* store.tidySlices();
    while (this.indexSlice(store) > 0) yield undefined;
  }

  private *checkpointing(store: OpenedStore): Work {
    yield undefined;
    this.isCheckpointDue = false;
    store.operations.checkpoint();
  }

  /** Indexes as many rows as fit into half a slice; merges of the index can make a batch take much longer than the
   *  previous one. */
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

/** Read-only methods that may take long: every other request runs first. */
function backgroundWork(call: Call, { slices }: OpenedStore): Work | null {
  switch (call.method) {
    case 'search':
      return slices.search?.(...call.args) ?? null;
    case 'verifyIntegrity':
      return slices.verifyIntegrity === undefined ? null : afterOthers(slices.verifyIntegrity());
    case 'storeSizes':
      return slices.storeSizes?.() ?? null;
    default:
      return null;
  }
}

/** The open turn of a session whose rows are read in slices: ending it would move rows, so that has to wait. */
function openTurnBeside({ method, args }: Call, { operations }: OpenedStore): string | null {
  switch (method) {
    case 'activeMessages':
    case 'apiContents':
      return operations.openTurnOf(args[0])?.uid ?? null;
    case 'branchSession':
      return operations.openTurnOf(args[0].sessionId)?.uid ?? null;
    default:
      return null;
  }
}

/** Runs checks after all other requests; each check is a slice. SQLite's own cannot be cut: it takes seconds for
 *  hundreds of thousands of messages, and starts when nothing else waits. */
function* afterOthers(work: Work): Work {
  yield undefined;
  return yield* work;
}
