import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import type { SessionStore } from '../sessionStore';
import type { WorkProgress } from '../slicedWork';
import { readableOnly } from '../engine/sqlFailure';
import { StoreError, reviveStoreError } from '../storeError';
import type { OpenReport } from '../worker/openedStore';
import {
  isUserWrite,
  promisedOperations,
  type MethodArguments,
  type MethodName,
  type MethodResults,
} from '../sessionMethods';
import type { RunningStore } from '../worker/storeClient';
import { LockAcquisition, type OwnedLock, type OwnershipAttempt, type OwnershipPatience } from './lockAcquisition';
import type { LockEndpoint } from '../lock/lockRecord';
import { HandoverServer, type HandoverOwner } from './handoverServer';
import { unavailable, type StoreState } from './storeState';

/** Information from the gateway about running turns, for a handover to another window. */
export interface TurnGuard {
  /** The session whose turn a handover would interrupt; null when none is running. */
  isBusy(): { readonly sessionTitle: string | null } | null;
  /** Settles every running turn and starts no other; resolves when that is on disk. */
  stopRunning(): Promise<void>;
  /** Called when the store is closed or lost. Leaves turns that await approval in state `waiting`. Returns at once. */
  leaveWaiting(): void;
}

/** The connection's interface to its environment. */
export interface StoreHome {
  /** Starts slow work that needs no lock. */
  prepare(): void;
  /** Takes the folder's lock for this process and records this owner's endpoint in it, or returns its holder. Throws
   *  a `StoreError` (`readOnly`: no lock can be written there). */
  acquireLock(endpoint: LockEndpoint): OwnershipAttempt;
  /** Starts a worker and opens the store in it. */
  open(options: OpenOptions): Promise<{ readonly store: RunningStore; readonly report: OpenReport }>;
  /** Renames a copy of a replaced store so that it is not offered again. */
  leaveReplaced(path: string): void;
  /** True when the disk again accepts a file as large as an opening may need. */
  hasSpace(): boolean;
  /** Disposes resources that were prepared and not used. */
  dispose(): void;
}

export interface OpenOptions {
  /** Fence of the held lock, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** True when the file was found damaged while in use: set it aside and salvage its readable rows. */
  readonly salvage: boolean;
  /** True to bring back the sessions of copies of a store whose file was replaced by another. */
  readonly bringsBack: boolean;
}

const heartbeatMs = 15_000;
/** Milliseconds between two requests to a window that does not answer, once that was reported. */
const askAgainMs = 5000;
/** Milliseconds. A file that is damaged again this soon after a repair is on an unreliable disk; then the user
 *  decides. */
const betweenRepairsMs = 60_000;
/** Milliseconds between two checks for free space on a full disk. */
const spaceCheckMs = 5000;
/** Causes after which the open store must no longer be used. */
const fatalCauses: readonly string[] = ['corrupt', 'replaced', 'deleted'];
/** Connection of this window to the history of its folder, across handovers, failures and reopenings. `store` stays
 *  the same object for ever. */
export class StoreConnection implements Disposable {
  private readonly states = new Emitter<StoreState>();
  private current: StoreState = { kind: 'opening', blockedBy: null };
  private running: RunningStore | null = null;
  private lock: OwnedLock | null = null;
  private server: HandoverServer | null = null;
  private acquisition: LockAcquisition | null = null;
  private opening: Promise<void> | null = null;
  /** All closing work, in sequence; an opening waits for it. */
  private ending: Promise<void> = Promise.resolve();
  private guard: TurnGuard = {
    isBusy: () => null,
    stopRunning: () => Promise.resolve(),
    leaveWaiting: () => undefined,
  };
  private cancelHeartbeat: () => void = () => undefined;
  private damaged = false;
  private regained: StoreError | null = null;
  private bringsBack = false;
  private cancelAskAgain: () => void = () => undefined;
  /** The error for calls during an automatic reopening; otherwise null. */
  private repairing: StoreError | null = null;
  /** The reason why no lock could be written, although no process holds the store; otherwise null. */
  private lockObstacle: StoreError | null = null;
  private cancelSpaceCheck: () => void = () => undefined;
  private repairedAt = Number.NEGATIVE_INFINITY;
  private used = false;
  readonly onDidChangeState = this.states.event;

  constructor(
    private home: StoreHome,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly patience: OwnershipPatience,
  ) {}

  /** Every method rejects with a `StoreError` that states the reason while the store is not open. */
  readonly store: SessionStore = {
    ...promisedOperations((method, args, signal, onProgress) => this.forward(method, args, signal, onProgress)),
    close: () => this.close(),
  };

  get state(): StoreState {
    return this.current;
  }

  /** True when anything that the user said or decided was to be stored here since this window started, or since it
   *  moved. */
  get isUsed(): boolean {
    return this.used;
  }

  /** True when the folder is open or opening, or was opened. */
  get isInUse(): boolean {
    return this.opening !== null || this.running !== null || this.current.kind !== 'opening';
  }

  /** Until a guard is set, no turn is running. */
  setTurnGuard(guard: TurnGuard): void {
    this.guard = guard;
  }

  /** Opens the store; if it has an owner, requests a handover. Resolves when the state is no longer `opening`, or
   *  when the owner is busy and the user must decide. Never rejects: failures are states. */
  open(): Promise<void> {
    const kind = this.current.kind;
    const underWay = this.opening !== null && (kind === 'opening' || kind === 'waitingForOwner');
    if (!underWay && kind !== 'open' && kind !== 'closed') this.startOpening();
    return this.settledState();
  }

  /** "Continue here": requests the history from the other window. */
  reclaim(): Promise<void> {
    return this.current.kind === 'continuedElsewhere' ? this.open() : this.settledState();
  }

  /** Reopens after a failure, or after the folder was made writable. */
  async retry(): Promise<void> {
    if (this.current.kind === 'readOnly') {
      await this.closeRunning();
      return this.open();
    }
    return this.current.kind === 'failed' ? this.open() : this.settledState();
  }

  /** Reopens and brings back the sessions of copies of a store whose file was replaced by another. Resolves like
   *  `open`. */
  bringBack(): Promise<void> {
    if (this.current.kind === 'open') {
      this.bringsBack = true;
      this.ending = this.ending.then(() => this.closeRunning());
      this.startOpening();
    }
    return this.settledState();
  }

  /** Closes the store, releases its lock, runs work that replaces its files, and opens it again, also when the work
   *  fails. Throws `locked` while another window has the store. Rejects with the failure of the work. */
  async whileClosed<T>(work: () => Promise<T>): Promise<T> {
    const { kind } = this.current;
    if (kind !== 'open' && kind !== 'readOnly' && kind !== 'failed') throw unavailable(this.current);
    const done = this.release().then(work);
    this.ending = done.then(
      // The files are other ones now.
      () => void (this.damaged = false),
      () => undefined,
    );
    this.startOpening();
    await this.settledState();
    return done;
  }

  /** Leaves the copy of a replaced store where it is, and does not offer it again. Throws the disk's error. */
  leaveReplaced(path: string): void {
    this.home.leaveReplaced(path);
  }

  /** Takes over the history as soon as the owner's turn has settled. */
  waitForOwner(): void {
    this.acquisition?.choose('wait');
  }

  /** Asks the owner to stop its turn and hand over. The owner first saves everything it has shown. */
  askOwnerToStop(): void {
    this.acquisition?.choose('stop');
  }

  /** Continues in another folder, as if this window had started there; closes the open store in order. Opens there
   *  at once if it was open here. Resolves like `open`. */
  async moveTo(home: StoreHome): Promise<void> {
    if (this.current.kind === 'closed') return;
    const [left, opens] = [this.home, this.isInUse];
    this.home = home;
    this.damaged = false;
    this.regained = null;
    this.bringsBack = false;
    this.used = false;
    this.cancelAskAgain();
    this.acquisition?.dispose();
    void this.release().then(() => left.dispose());
    if (!opens) return this.setState({ kind: 'opening', blockedBy: null });
    this.startOpening();
    await this.settledState();
  }

  /** Finishes pending calls, checkpoints, closes and releases ownership. Safe to call twice. */
  async close(): Promise<void> {
    if (this.current.kind === 'closed') return this.ending;
    this.setState({ kind: 'closed' });
    this.cancelAskAgain();
    this.acquisition?.dispose();
    await this.release();
    this.home.dispose();
  }

  dispose(): void {
    void this.close();
  }

  /** Starts an opening after the current opening and endings. */
  private startOpening(patience = this.patience): void {
    this.cancelAskAgain();
    // Set at once, so that no waiting caller sees the previous state.
    if (patience === this.patience) this.setState({ kind: 'opening', blockedBy: null });
    const opening = Promise.all([this.opening, this.ending]).then(() => this.openOnce(patience));
    this.opening = opening;
    void opening.then(() => {
      if (this.opening === opening) this.opening = null;
    });
  }

  /** Asks again a window that did not answer. Until it answers or is gone, the reported failure stays. */
  private askAgain(): void {
    this.cancelAskAgain = this.clock.after(askAgainMs, () => {
      if (this.current.kind === 'failed') this.startOpening({ ...this.patience, lockedMs: 0, invisibleLockedMs: 0 });
    });
  }

  private async openOnce(patience: OwnershipPatience): Promise<void> {
    if (this.current.kind === 'closed' || this.running !== null) return;
    const { home } = this;
    home.prepare();
    this.lockObstacle = null;
    try {
      if (!(await this.holdLock(home, patience))) return;
      // The window answered after all, after it had been reported as not answering.
      if (this.current.kind === 'failed' || this.current.kind === 'waitingForOwner')
        this.setState({ kind: 'opening', blockedBy: null });
      const fence = this.lock?.fence ?? null;
      const { store, report } = await home.open({ fence, salvage: this.damaged, bringsBack: this.bringsBack });
      this.bringsBack = false;
      this.adopt(store);
      // Moved meanwhile: the store just opened is closed again, without an event.
      if (home !== this.home) return;
      this.damaged = false;
      this.repairing = null;
      this.announce(report);
    } catch (error) {
      // When nothing can be read either, report the reason why the lock could not be written.
      if (home === this.home)
        this.fail(
          error instanceof StoreError && error.causeClass === 'readOnly' ? (this.lockObstacle ?? error) : error,
        );
      else this.log.warn(`A folder that was left could not be opened: ${technicalOf(error)}`);
    }
  }

  /** True to continue: with the lock held, or in a folder in which no process can hold one. */
  private async holdLock(home: StoreHome, patience: OwnershipPatience): Promise<boolean> {
    if (this.stillHeld()) return true;
    const server = new HandoverServer(this.owner, this.clock);
    // Without a socket the store works, except for handovers.
    await server
      .listen()
      .catch((error: unknown) =>
        this.log.warn(`Other windows cannot ask for the session store: ${technicalOf(error)}`),
      );
    const acquisition = new LockAcquisition(() => home.acquireLock(server.endpoint), this.clock, patience);
    acquisition.onState((state) => {
      if (patience === this.patience || state.kind !== 'opening') this.setState(state);
    });
    this.acquisition = acquisition;
    try {
      this.lock = await acquisition.obtain();
    } catch (error) {
      server.close();
      if (!(error instanceof StoreError) || (error.causeClass !== 'readOnly' && error.causeClass !== 'full'))
        throw error;
      this.lockObstacle = error;
      return true;
    } finally {
      this.acquisition = null;
    }
    if (!this.lock) {
      server.close();
      return false;
    }
    this.server = server;
    this.beat();
    return true;
  }

  /** True when this process still holds the lock. The lock outlives a failed store, unless another process took it
   *  because it considered this one dead. */
  private stillHeld(): boolean {
    try {
      this.lock?.assertHeld();
    } catch (error) {
      if (!isLost(error)) throw error;
      this.dropLock();
    }
    return this.lock !== null;
  }

  private adopt(store: RunningStore): void {
    this.running = store;
    store.onDidFail((error) => this.lose(store, error));
    store.onDidFailInBackground((error) => {
      this.log.error(`Care of the session store failed: ${error.technical}`, error);
      if (this.isFatal(error)) this.lose(store, error);
    });
  }

  /** Damage in a file that cannot be changed is not fatal: it cannot be repaired, but the rest of it can still be
   *  read. */
  private isFatal({ causeClass }: StoreError): boolean {
    return fatalCauses.includes(causeClass) && !(causeClass === 'corrupt' && this.current.kind === 'readOnly');
  }

  private announce(report: OpenReport): void {
    // A handover or the window's end was requested meanwhile; it closes the store just opened.
    if (this.current.kind !== 'opening') return;
    if (!report.readOnly) this.setState({ kind: 'open', report, regained: this.regained });
    else
      this.setState({
        kind: 'readOnly',
        report,
        error:
          this.lockObstacle?.causeClass === 'full'
            ? readableOnly(this.lockObstacle)
            : reviveStoreError(report.readOnly),
      });
    this.regained = null;
  }

  private async forward<M extends MethodName>(
    method: M,
    args: MethodArguments[M],
    signal?: AbortSignal,
    onProgress?: (progress: WorkProgress) => void,
  ): Promise<MethodResults[M]> {
    const store = this.running;
    if (!store) throw this.repairing ?? unavailable(this.current);
    this.used ||= isUserWrite(method);
    try {
      return await store.call(method, args, signal, onProgress);
    } catch (error) {
      if (error instanceof StoreError && this.isFatal(error)) this.lose(store, error);
      // SQLite knows that it may not write, but not the reason, for example a full disk.
      throw error instanceof StoreError && error.causeClass === 'readOnly' && this.current.kind === 'readOnly'
        ? this.current.error
        : error;
    }
  }

  /** Handles a store that can no longer be used: its thread died, its file is damaged, or another process owns it. */
  private lose(store: RunningStore, error: StoreError): void {
    if (this.running !== store) return;
    this.running = null;
    this.guard.leaveWaiting();
    this.damaged ||= error.causeClass === 'corrupt';
    // Until the thread has ended it could still write; the file must not be opened before.
    this.ending = this.ending.then(() => this.abandon(store, error));
    if (this.repair(error)) return;
    if (error.causeClass === 'deleted') this.regain(error);
    else this.fail(error);
  }

  /** Reopens a damaged file at once, which sets it aside and salvages its readable rows. Returns true when it does
   *  so. */
  private repair(error: StoreError): boolean {
    const now = this.clock.monotonicMs();
    if (error.causeClass !== 'corrupt' || this.current.kind !== 'open' || now - this.repairedAt < betweenRepairsMs)
      return false;
    this.log.error(`Session store: ${error.technical}. It is opened again to be repaired.`, error);
    this.repairedAt = now;
    this.repairing = error;
    this.startOpening();
    return true;
  }

  /** Reopens a deleted store that no other process has: takes the lock again if it is free, and restores the saved
   *  copy of a deleted file. */
  private regain(error: StoreError): void {
    if (this.current.kind === 'closed' || this.current.kind === 'continuedElsewhere') return;
    this.log.warn(`Files of the session store were deleted, and it is opened again: ${error.technical}`);
    this.regained = error;
    this.startOpening();
  }

  private async abandon(store: RunningStore, error: StoreError): Promise<void> {
    await store.abandon();
    if (isLost(error)) this.dropLock();
  }

  private fail(error: unknown): void {
    this.repairing = null;
    const failure =
      error instanceof StoreError
        ? error
        : new StoreError(
            'unknown',
            t('Your sessions couldn’t be opened. Retry, or see the log for details.'),
            technicalOf(error),
          );
    if (failure.causeClass === 'locked') this.askAgain();
    if (this.current.kind === 'failed' && this.current.error.message === failure.message) return;
    this.log.error(`Session store: ${failure.technical}`, failure);
    if (this.current.kind !== 'closed' && this.current.kind !== 'continuedElsewhere')
      this.setState({ kind: 'failed', error: failure });
  }

  private readonly owner: HandoverOwner = {
    busy: () => (this.current.kind === 'open' ? this.guard.isBusy() : null),
    stopRunning: () => this.guard.stopRunning(),
    release: () => {
      // Start before the event: a listener that requests the history back at once then waits for this release.
      const released = this.release();
      this.setState({ kind: 'continuedElsewhere' });
      return released;
    },
  };

  /** Closes the store and releases the lock, once, even for several callers. */
  private release(): Promise<void> {
    this.guard.leaveWaiting();
    // The opening that is in progress now; a later one waits for this ending.
    const opening = this.opening;
    this.ending = this.ending
      .then(() => opening ?? undefined)
      .then(() => this.closeRunning())
      .then(() => this.dropLock());
    return this.ending;
  }

  private async closeRunning(): Promise<void> {
    const store = this.running;
    this.running = null;
    try {
      await store?.close();
    } catch (error) {
      // Only the final cleanup failed. Every acknowledged write is in the log of the database, which the next owner
      // reads.
      this.log.error(`The session store was not tidied at closing: ${technicalOf(error)}`, error);
    }
  }

  private dropLock(): void {
    this.cancelHeartbeat();
    try {
      this.lock?.release();
    } catch (error) {
      this.log.warn(`The lock of the session store could not be released: ${technicalOf(error)}`);
    }
    this.lock = null;
    this.server?.close();
    this.server = null;
  }

  private beat(): void {
    this.cancelHeartbeat = this.clock.after(heartbeatMs, () => {
      try {
        this.lock?.heartbeat();
        this.server
          ?.keepReachable()
          .catch((error: unknown) =>
            this.log.warn(`Other windows cannot ask for the session store: ${technicalOf(error)}`),
          );
      } catch (error) {
        if (isLost(error) && this.running) return void this.loseLock(this.running, error);
        // For example a full disk. It matters only to processes that cannot see this one, and the next beat may
        // succeed.
        this.log.warn(`The heartbeat of the session store failed: ${technicalOf(error)}`);
      }
      if (this.lock) this.beat();
    });
  }

  /** Handles a lost lock: if the files disappeared with the lock, the thread that has them open saves their content
   *  and reports it. */
  private async loseLock(store: RunningStore, error: StoreError): Promise<void> {
    const answer = await store.call('checkpoint', []).then(
      () => error,
      (failure: unknown) => failure,
    );
    this.lose(store, isLost(answer) ? answer : error);
  }

  private setState(state: StoreState): void {
    if (this.current.kind === 'closed') return;
    this.current = state;
    this.cancelSpaceCheck();
    if ((state.kind === 'failed' || state.kind === 'readOnly') && state.error.causeClass === 'full')
      this.waitForSpace();
    this.states.fire(state);
  }

  /** Reopens the store as soon as a full disk has space again, without asking the user. */
  private waitForSpace(): void {
    this.cancelSpaceCheck = this.clock.after(spaceCheckMs, () => {
      if (this.home.hasSpace()) void this.retry();
      else this.waitForSpace();
    });
  }

  private settledState(): Promise<void> {
    return new Promise((resolve) => {
      if (this.current.kind !== 'opening') return resolve();
      const listening = this.onDidChangeState((state) => {
        if (state.kind === 'opening') return;
        listening.dispose();
        resolve();
      });
    });
  }
}

function isLost(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.causeClass === 'replaced' || error.causeClass === 'deleted');
}

function technicalOf(error: unknown): string {
  if (error instanceof StoreError) return error.technical;
  return errorMessage(error);
}
