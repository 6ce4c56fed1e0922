import type { Clock } from '../../base/clock';
import { acceptCalls, type ArrivedCall } from '../../base/threads/served';
import { portChannel, type Channel, type MessagePort } from '../../base/threads/channel';
import { sliceMs, StoppedWork, type SlicedWork } from '../slicedWork';
import type { OpenedStore, StorePlace } from './openedStore';
import { RequestQueue, type UnderWay } from './requestQueue';
import {
  perform,
  performInSlices,
  traitsOf,
  type MethodName,
  type MethodResults,
  type StoreRequest,
} from '../session/sessionStore';
import { isUnknownOutcome, StoreError, storeErrorData, storeErrors, type StoreErrorData } from '../storeError';

/** Milliseconds without a request after which the store does its housekeeping. */
const idleAfterMs = 1000;
/** Milliseconds without a request after which the log is emptied into the file: a page is then written once for many
 *  turns. */
const checkpointAfterMs = 30_000;
/** Milliseconds that closing may spend on the search index; the rest is indexed after the next opening. */
const closingIndexMs = 150;

/** Events of the store's thread. broken: no further write can succeed before the file is reopened; sent after the
 *  answer to the failed call. backgroundError: what failed had no caller in the window: indexing, a checkpoint, or a
 *  call of another thread. */
export interface StoreEvent {
  readonly kind: 'broken' | 'backgroundError';
  readonly error: StoreErrorData;
}

type Call = StoreRequest & { readonly answer: ArrivedCall };
type Work = SlicedWork<MethodResults[MethodName] | void>;

/** Work that runs between requests. */
interface Scan {
  /** Null for the store's own housekeeping, for which no caller waits. */
  readonly answer: ArrivedCall | null;
  readonly work: Work;
  /** The call it works for, if requests with common subjects have to wait for it; null for reads. */
  readonly call: Call | null;
  readonly openTurn?: string | null;
  isStopping: boolean;
}

/** Serves an open store to the window's thread, and to those that get a port: one request at a time, each one
 *  transaction. Long work runs in slices, with other requests in between; indexing and checkpoints run when there are
 *  no requests. Independent of threads. */
export class StoreService {
  private readonly queue = new RequestQueue<Call>();
  private scans: readonly Scan[] = [];
  private store: OpenedStore | null = null;
  private pumping = false;
  private closing: ArrivedCall | null = null;
  private dirty = true;
  private isCheckpointDue = true;
  private indexRows = 16;
  private cancelIdle: () => void = () => undefined;
  private readonly post: (event: StoreEvent) => void;

  constructor(
    private readonly openStore: (place: StorePlace) => Promise<OpenedStore>,
    window: Pick<Channel, 'post' | 'onMessage'>,
    private readonly clock: Clock,
  ) {
    this.post = acceptCalls(window, storeErrors, (call) => this.receive(call));
  }

  private receive(call: ArrivedCall): void {
    switch (call.name) {
      case 'open':
        return void this.open(call, call.args[0] as StorePlace);
      case 'close':
        this.closing = call;
        // Work that undoes its changes when stopped is stopped; the rest is finished.
        for (const scan of this.scans) scan.isStopping = true;
        return this.pump(queueMicrotask);
      case 'servePort':
        acceptCalls(portChannel(call.args[0] as MessagePort), storeErrors, (other) => this.pushOfPort(other));
        return call.done(undefined);
      default:
        return this.push(call);
    }
  }

  private push(answer: ArrivedCall): void {
    const { name: method, args } = answer;
    answer.onAbort = () => this.abort(answer);
    this.queue.push({ method, args, answer } as Call);
    // Everything that has arrived is received before this runs.
    this.pump(queueMicrotask);
  }

  /** The window hears of a failure of the disk, whoever met it. */
  private pushOfPort(call: ArrivedCall): void {
    const { failed } = call;
    call.failed = (error) => {
      failed(error);
      if (!(error instanceof StoreError) || isUnknownOutcome(error))
        this.post({ kind: 'backgroundError', error: storeErrorData(error) });
    };
    this.push(call);
  }

  private async open(call: ArrivedCall, place: StorePlace): Promise<void> {
    try {
      this.store = await this.openStore(place);
      call.done(this.store.report);
      this.pump();
    } catch (error) {
      call.failed(error);
    }
  }

  private pump(soon: (callback: () => void) => void = setImmediate): void {
    if (this.pumping) return;
    this.pumping = true;
    this.cancelIdle();
    soon(() => {
      this.pumping = false;
      this.step();
    });
  }

  /** Runs one request, or one slice when no waiting request can run. */
  private step(): void {
    if (!this.store) return;
    const call = this.queue.take(this.held);
    if (call) this.serve(call, this.store);
    else if (this.closing !== null && this.held.length === 0) return this.close(this.store, this.closing);
    else this.slice();
    if (this.queue.size > 0 || this.scans.length > 0 || this.closing !== null) this.pump();
    else this.awaitIdle();
  }

  /** The calls in progress. */
  private get held(): readonly UnderWay[] {
    return this.scans.flatMap(({ call, openTurn = null }) => (call === null ? [] : [{ request: call, openTurn }]));
  }

  private serve(call: Call, store: OpenedStore): void {
    const { answer } = call;
    this.attempt(answer, () => {
      const isBackground = traitsOf(call.method).isBackground === true;
      const work = performInSlices(store.slices, call.method, call.args);
      if (isBackground && work !== null) return this.startScan({ answer, work, call: null, isStopping: false });
      this.dirty = true;
      this.isCheckpointDue = true;
      if (work === null) return answer.done(perform(store.operations, call.method, call.args));
      const isStopping = this.closing !== null;
      const scan: Scan = { answer, work, call, openTurn: openTurnBeside(call, store), isStopping };
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
      this.scans.find(({ call }) => call !== null) ?? this.scans.find(({ answer }) => answer !== null) ?? this.scans[0];
    if (scan) this.attempt(scan.answer, () => this.advance(scan));
  }

  private advance(scan: Scan): void {
    const step = this.next(scan);
    if (step === null || scan.answer === null) return;
    if (step.done === true) scan.answer.done(step.value);
    else if (step.value) scan.answer.progress(step.value.progress, step.value.entries);
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
      scan.answer?.aborted();
      return null;
    }
  }

  private abort(answer: ArrivedCall): void {
    if (this.queue.remove((call) => call.answer === answer).length > 0) return answer.aborted();
    const scan = this.scans.find((one) => one.answer === answer);
    if (scan === undefined) return;
    if (scan.call === null) {
      this.scans = this.scans.filter((one) => one !== scan);
      answer.aborted();
    } else scan.isStopping = true;
  }

  private attempt(answer: ArrivedCall | null, work: () => void): void {
    try {
      work();
    } catch (error) {
      const data = storeErrorData(error);
      if (answer === null) this.post({ kind: 'backgroundError', error: data });
      else answer.failed(error);
      if (this.store?.mustReopen() === true) this.post({ kind: 'broken', error: data });
    }
  }

  private awaitIdle(): void {
    this.cancelIdle();
    if ((!this.dirty && !this.isCheckpointDue) || this.store?.report.readOnly !== null) return;
    this.cancelIdle = this.clock.after(this.dirty ? idleAfterMs : checkpointAfterMs, () => {
      if (!this.store || this.closing !== null) return;
      const work = this.dirty ? this.housekeeping(this.store) : this.checkpointing(this.store);
      this.dirty = false;
      this.startScan({ answer: null, work, call: null, isStopping: false });
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

  private close(store: OpenedStore, answer: ArrivedCall): void {
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
    if (failure === null) answer.done(undefined);
    else answer.failed(failure);
  }

  private tidy(store: OpenedStore): void {
    const until = this.clock.monotonicMs() + closingIndexMs;
    while (this.clock.monotonicMs() < until && this.indexSlice(store) > 0);
    store.operations.checkpoint();
  }
}

/** The open turn of a session whose rows are read in slices: ending it would move rows, so that has to wait. */
function openTurnBeside({ method, args }: Call, { operations }: OpenedStore): string | null {
  const sessionId = traitsOf(method).rowsOf?.(...args) ?? null;
  return sessionId === null ? null : (operations.openTurnOf(sessionId)?.uid ?? null);
}
