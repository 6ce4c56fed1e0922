import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { pause } from '../../base/pause';
import type { SessionStore } from '../session/sessionStore';
import { readableOnly } from '../engine/sqlFailure';
import { StoreError, reviveStoreError, storeErrorData } from '../storeError';
import type { StorePort } from '../worker/storePort';
import type { OpenReport, StorePlace } from '../worker/openedStore';
import type { RunningStore } from '../worker/storeClient';
import type { LockAttempt, LockOwner } from '../lock/acquireLock';
import type { HeldLock } from '../lock/heldLock';
import type { LockEndpoint } from '../lock/lockRecord';
import { isUserWrite } from '../session/sessionStore';
import { StoreCalls } from './storeCalls';
import { askToRelease, TakeOverServer, type TakeOverOwner } from './takeOver';
import { unavailable, type StoreState } from './storeState';

/** Work of this window that a takeover must not cut. */
export interface WorkGuard {
  /** Stops running turns and waits for compressions; resolves when all of it is on disk. */
  settle(): Promise<void>;
  /** Called when the store is closed or lost. Leaves turns that await approval in state `waiting`. Returns at once. */
  leaveWaiting(): void;
  /** True when the page of this window does not respond and no turn or compression runs. */
  isLeft(): Promise<boolean>;
}

export type OwnedLock = Pick<HeldLock, 'fence' | 'assertHeld' | 'heartbeat' | 'release'>;
export type OwnershipAttempt =
  { readonly kind: 'held'; readonly lock: OwnedLock } | (LockAttempt & { readonly kind: 'heldBy' });

/** The connection's interface to its environment. */
export interface StoreHome {
  /** Starts slow work that needs no lock. */
  prepare(): void;
  /** Takes the folder's lock for this process and records this owner's endpoint in it, or returns its holder. Throws
   *  a `StoreError` (`readOnly`: no lock can be written there). */
  acquireLock(endpoint: LockEndpoint): OwnershipAttempt;
  /** True when a process that provably lives holds the lock. */
  isHeld(): boolean;
  /** Starts a worker and opens the store in it. */
  open(options: OpenOptions): Promise<{ readonly store: RunningStore; readonly report: OpenReport }>;
  /** Renames a copy of a replaced store so that it is not offered again. */
  leaveReplaced(path: string): void;
  /** True when the disk again accepts a file as large as an opening may need. */
  hasSpace(): boolean;
  /** Disposes resources that were prepared and not used. */
  dispose(): void;
}

export interface OpenOptions extends Required<Pick<StorePlace, 'fence' | 'salvage' | 'bringsBack' | 'liveTurns'>> {
  /** The answer to every write, to read a snapshot of a store that another process holds; otherwise null. */
  readonly snapshot: StoreError | null;
}

const heartbeatMs = 15_000;
/** Milliseconds for which a window that opens waits for the old host of the same window: at a reload they overlap. Also
 *  how often it looks. */
const overlapMs = 2000;
const overlapLookMs = 200;
/** Milliseconds between two looks at the lock of another window, and between two questions whether its page is gone. */
const lookMs = 2000;
const askMs = 10_000;
/** Milliseconds for which the lock must be free before a window that reads takes it: the window that held it may be
 *  reloading. A window that has just started may itself be the reloaded one, and takes it at once. */
const freeForMs = 30_000;
const justStartedMs = 15_000;
/** Milliseconds. A file that is damaged again this soon after a repair is on an unreliable disk; then the user
 *  decides. The same for a thread that died. */
const betweenRepairsMs = 60_000;
/** Milliseconds between two checks for free space on a full disk. */
const spaceCheckMs = 5000;
/** Causes after which the open store must no longer be used. */
const fatalCauses: readonly string[] = ['corrupt', 'replaced', 'deleted'];
/** Causes of a failed store that need the user's decision. After any other cause it is opened again, in a new
 *  thread. */
const needDecision: readonly string[] = ['corrupt', 'locked', 'replaced', 'newer'];

/** Connection of this window to the history of its folder, across handovers, failures and reopenings. `store` stays
 *  the same object for ever. */
export class StoreConnection implements Disposable {
  private readonly states = new Emitter<StoreState>();
  private current: StoreState = { kind: 'opening' };
  private running: RunningStore | null = null;
  private lock: OwnedLock | null = null;
  private server: TakeOverServer | null = null;
  private opening: Promise<void> | null = null;
  /** All closing work, in sequence; an opening waits for it. */
  private ending: Promise<void> = Promise.resolve();
  private guard: WorkGuard = {
    settle: () => Promise.resolve(),
    leaveWaiting: () => undefined,
    isLeft: async () => false,
  };
  private readonly works = new Set<Promise<unknown>>();
  private cancelHeartbeat: () => void = () => undefined;
  private damaged = false;
  private regained: StoreError | null = null;
  private bringsBack = false;
  private cancelLook: () => void = () => undefined;
  /** Aborted when this window no longer asks the owner. */
  private asking = new AbortController();
  /** Monotonic milliseconds since which the lock of the other window has looked free; null while it is held. */
  private freeSince: number | null = null;
  /** Monotonic milliseconds at which the owner was last asked whether its window is gone. */
  private askedAt = Number.NEGATIVE_INFINITY;
  /** Monotonic milliseconds; -∞ once it had the store: it is no reloaded window then. */
  private startedAt: number;
  /** The error for calls during an automatic reopening; otherwise null. */
  private repairing: StoreError | null = null;
  /** The reason why no lock could be written, although no process holds the store; otherwise null. */
  private lockObstacle: StoreError | null = null;
  private cancelSpaceCheck: () => void = () => undefined;
  private repairedAt = Number.NEGATIVE_INFINITY;
  private used = false;
  private readonly calls: StoreCalls<RunningStore>;
  /** Every method rejects with a `StoreError` that states the reason while the store is not open. */
  readonly store: SessionStore;
  readonly onDidChangeState = this.states.event;

  constructor(
    private home: StoreHome,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.startedAt = clock.monotonicMs();
    this.calls = new StoreCalls(
      {
        open: (method) => {
          const store = this.openStore();
          this.used ||= isUserWrite(method);
          return store;
        },
        failed: (store, error) => this.failed(store, error),
        reopened: () => this.reopened(),
      },
      clock,
      log,
    );
    this.store = { ...this.calls.operations, close: () => this.close() };
  }

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
  setWorkGuard(guard: WorkGuard): void {
    this.guard = guard;
  }

  /** Opens the store, or a snapshot of it while another window has it. Resolves when the state is no longer `opening`.
   *  Never rejects: failures are states. */
  open(): Promise<void> {
    const { kind } = this.current;
    const isClosed = kind === 'failed' || (kind === 'readOnly' && this.running === null);
    if (isClosed || (kind === 'opening' && this.opening === null)) this.startOpening();
    return this.settledState();
  }

  /** Asks the other window to settle its work and to release the store, and opens it. Resolves when it is open here, or
   *  when the state says why it is not. */
  async takeOver(): Promise<void> {
    const { home } = this;
    const state = this.current;
    // It opens here already: the owner was seen to be gone.
    if (state.kind !== 'elsewhere' || state.takeOver === 'asked') return this.settledState();
    this.stopReading();
    this.setState({ ...state, takeOver: 'asked' });
    const asking = (this.asking = new AbortController());
    let owner = await this.holdLock(home, 0);
    let failure = owner === null ? null : owner.endpoint === null ? 'The lock names no socket.' : '';
    if (owner?.endpoint) failure = await askToRelease(owner.endpoint, this.clock, asking.signal);
    if (asking.signal.aborted || home !== this.home) return;
    // Also after a failure: an owner that ended before it could answer is gone a moment later.
    if (owner !== null) owner = await this.holdLock(home, overlapMs);
    if (owner === null) return this.openInstead();
    this.log.warn(`The other window did not release the session store: ${failure ?? owner.description}`);
    this.setState({ ...state, takeOver: failure === null ? 'offered' : 'unanswered', owner: owner.description });
    this.lookAgain();
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

  /** Delays a takeover until work of several calls, such as an import, has ended. Settles as the work does. */
  during<T>(work: Promise<T>): Promise<T> {
    this.works.add(work);
    const over = (): void => void this.works.delete(work);
    work.then(over, over);
    return work;
  }

  /** Gives another thread access to the store, until it is closed or lost. Throws like a call of the store. */
  openPort(): StorePort {
    const port = this.openStore().openPort();
    this.used = true;
    const { obstacle } = this;
    return { port, readOnly: obstacle && storeErrorData(obstacle) };
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
    this.stopReading();
    void this.release().then(() => left.dispose());
    if (!opens) return this.setState({ kind: 'opening' });
    this.startOpening();
    await this.settledState();
  }

  /** Finishes pending calls, checkpoints, closes and releases ownership. Safe to call twice. */
  async close(): Promise<void> {
    if (this.current.kind === 'closed') return this.ending;
    this.setState({ kind: 'closed' });
    this.stopReading();
    await this.release();
    this.home.dispose();
  }

  dispose(): void {
    void this.close();
  }

  /** Starts an opening after the current opening and endings. */
  private startOpening(): void {
    this.stopReading();
    // Set at once, so that no waiting caller sees the previous state.
    this.setState({ kind: 'opening' });
    this.startWork((home) => this.openOnce(home));
  }

  private startWork(work: (home: StoreHome) => Promise<void>): void {
    const opening = Promise.all([this.opening, this.ending]).then(() => work(this.home));
    this.opening = opening;
    void opening.then(() => {
      if (this.opening === opening) this.opening = null;
    });
  }

  /** Opens the store in place of its snapshot. */
  private openInstead(): Promise<void> {
    if (this.current.kind !== 'elsewhere') return this.settledState();
    this.ending = this.ending.then(() => this.closeRunning());
    this.startOpening();
    return this.settledState();
  }

  /** Reads a snapshot of the store, which another window has, and looks when it is free. */
  private startReading(owner: string): void {
    this.stopReading();
    this.freeSince = null;
    if (this.current.kind !== 'opening') this.setState({ kind: 'opening' });
    const error = new StoreError(
      'locked',
      t('Your sessions are open in another window. Choose Take Over to continue here.'),
      `held by ${owner}`,
    );
    this.startWork(async (home) => {
      if (this.current.kind === 'closed' || this.running !== null) return;
      const report = await this.readSnapshot(home, error);
      if (home !== this.home || this.isClosed()) return;
      this.setState({ kind: 'elsewhere', report, error, takeOver: 'offered', owner });
      this.lookAgain();
    });
  }

  /** Null when there is nothing to read, or the snapshot could not be made. */
  private async readSnapshot(home: StoreHome, error: StoreError): Promise<OpenReport | null> {
    try {
      const { store, report } = await home.open({
        fence: null,
        snapshot: error,
        salvage: false,
        bringsBack: false,
        liveTurns: [],
      });
      this.adopt(store);
      return report;
    } catch (failure) {
      this.log.warn(`The sessions of another window could not be read: ${technicalOf(failure)}`);
      return null;
    }
  }

  private lookAgain(): void {
    this.cancelLook = this.clock.after(lookMs, () => {
      this.look().catch((error: unknown) => {
        this.log.warn(`The lock of another window could not be examined: ${technicalOf(error)}`);
        this.lookAgain();
      });
    });
  }

  /** Opens the store when its owner is provably gone, and has not come back. Tries again to read what could not be read
   *  because it was being written. */
  private async look(): Promise<void> {
    const { home } = this;
    const now = this.clock.monotonicMs();
    if (home.isHeld()) this.freeSince = null;
    else this.freeSince ??= now;
    const graceMs = now - this.startedAt < justStartedMs ? 0 : freeForMs;
    if (this.freeSince !== null && now - this.freeSince >= graceMs) {
      this.freeSince = null;
      if ((await this.holdLock(home, 0)) === null) return this.openInstead();
    }
    if (!this.isReading(home)) return;
    if (this.freeSince === null && now - this.askedAt >= askMs && (await this.holdLeftLock(home)) === null)
      return this.openInstead();
    const state = this.current;
    if (state.kind !== 'elsewhere' || !this.isReading(home)) return;
    if (state.report === null && this.running === null && this.opening === null) {
      const report = await this.readSnapshot(home, state.error);
      if (report !== null && this.current === state) this.setState({ ...state, report });
    }
    if (this.isReading(home)) this.lookAgain();
  }

  /** True while this window reads what another one has, and the user has not asked for it. */
  private isReading(home: StoreHome): boolean {
    return this.current.kind === 'elsewhere' && this.current.takeOver !== 'asked' && home === this.home;
  }

  private stopReading(): void {
    this.cancelLook();
    this.asking.abort();
  }

  private async openOnce(home: StoreHome): Promise<void> {
    if (this.current.kind === 'closed' || this.running !== null) return;
    home.prepare();
    this.lockObstacle = null;
    try {
      const owner = await this.holdLeftLock(home);
      if (owner !== null) return void (home === this.home && this.startReading(owner.description));
      const fence = this.lock?.fence ?? null;
      const { store, report } = await home.open({
        fence,
        snapshot: null,
        salvage: this.damaged,
        bringsBack: this.bringsBack,
        liveTurns: this.calls.liveTurns,
      });
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

  /** Like `holdLock`, and meanwhile asks an owner to release if its window is gone. */
  private async holdLeftLock(home: StoreHome): Promise<LockOwner | null> {
    const owner = await this.holdLock(home, 0);
    if (owner === null) return null;
    this.askedAt = this.clock.monotonicMs();
    const { signal } = (this.asking = new AbortController());
    const answer = owner.endpoint && askToRelease(owner.endpoint, this.clock, signal, 'handOver');
    const holder = await this.holdLock(home, overlapMs);
    if (holder === null || answer === null || (await answer) !== null) return holder;
    return this.holdLock(home, overlapMs);
  }

  /** Null to continue: with the lock held, or in a folder in which no process can hold one. Otherwise the owner that
   *  still holds it after `waitMs`. */
  private async holdLock(home: StoreHome, waitMs: number): Promise<LockOwner | null> {
    if (this.stillHeld()) return null;
    const server = new TakeOverServer(this.owner);
    // Without a socket the store works, except for takeovers.
    await server
      .listen()
      .catch((error: unknown) =>
        this.log.warn(`Other windows cannot ask for the session store: ${technicalOf(error)}`),
      );
    const until = this.clock.monotonicMs() + waitMs;
    try {
      for (;;) {
        const attempt = home.acquireLock(server.endpoint);
        if (attempt.kind === 'held') {
          this.lock = attempt.lock;
          this.server = server;
          this.beat();
          return null;
        }
        // Another call has taken it meanwhile.
        if (this.lock !== null) {
          server.close();
          return null;
        }
        if (home !== this.home || this.isClosed() || this.clock.monotonicMs() >= until) {
          server.close();
          return attempt.owner;
        }
        await pause(this.clock, overlapLookMs);
      }
    } catch (error) {
      server.close();
      if (!(error instanceof StoreError) || (error.causeClass !== 'readOnly' && error.causeClass !== 'full'))
        throw error;
      this.lockObstacle = error;
      return null;
    }
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
    return fatalCauses.includes(causeClass) && !(causeClass === 'corrupt' && this.obstacle !== null);
  }

  /** The reason why the open store cannot be written; null when it can. */
  private get obstacle(): StoreError | null {
    return this.current.kind === 'readOnly' || this.current.kind === 'elsewhere' ? this.current.error : null;
  }

  private announce(report: OpenReport): void {
    // A handover or the window's end was requested meanwhile; it closes the store just opened.
    if (this.current.kind !== 'opening') return;
    this.startedAt = Number.NEGATIVE_INFINITY;
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

  private openStore(): RunningStore {
    if (this.running === null) throw this.repairing ?? unavailable(this.current);
    return this.running;
  }

  private failed(store: RunningStore, error: unknown): unknown {
    if (!(error instanceof StoreError)) return error;
    if (this.isFatal(error)) this.lose(store, error);
    // SQLite knows that it may not write, but not the reason, for example a full disk.
    return error.causeClass === 'readOnly' ? (this.obstacle ?? error) : error;
  }

  /** Opens a failed store again, where no decision of the user is needed. */
  private async reopened(): Promise<boolean> {
    const isUsable = (): boolean =>
      this.current.kind === 'open' ||
      (this.current.kind === 'failed' && !needDecision.includes(this.current.error.causeClass));
    if (this.current.kind === 'opening' || (this.current.kind === 'failed' && isUsable())) await this.open();
    return isUsable();
  }

  /** Handles a store that can no longer be used: its thread died, its file is damaged, or another process owns it. */
  private lose(store: RunningStore, error: StoreError): void {
    if (this.running !== store) return;
    this.running = null;
    this.guard.leaveWaiting();
    this.damaged ||= error.causeClass === 'corrupt';
    // Until the thread has ended it could still write; the file must not be opened before.
    this.ending = this.ending.then(() => this.abandon(store, error));
    // Only a snapshot; the other window has the store.
    if (this.current.kind === 'elsewhere') return this.setState({ ...this.current, report: null });
    if (this.isTaken()) return this.startReading('a process that considered this one gone');
    if (this.repair(error)) return;
    if (error.causeClass === 'deleted') this.regain(error);
    else this.fail(error);
  }

  /** True when another process holds the lock that was this one's. */
  private isTaken(): boolean {
    try {
      this.lock?.assertHeld();
      return false;
    } catch (error) {
      return error instanceof StoreError && error.causeClass === 'replaced';
    }
  }

  /** Reopens at once a damaged file, which sets it aside and salvages its readable rows, and a store whose thread died.
   *  Returns true when it does so. */
  private repair(error: StoreError): boolean {
    const now = this.clock.monotonicMs();
    if (error.causeClass !== 'corrupt' && error.causeClass !== 'unknown') return false;
    if (this.current.kind !== 'open' || now - this.repairedAt < betweenRepairsMs) return false;
    this.log.error(`Session store: ${error.technical}. It is opened again.`, error);
    this.repairedAt = now;
    this.repairing = error;
    this.startOpening();
    return true;
  }

  /** Reopens a deleted store that no other process has: takes the lock again if it is free, and restores the saved
   *  copy of a deleted file. */
  private regain(error: StoreError): void {
    if (this.current.kind === 'closed') return;
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
    if (this.current.kind === 'failed' && this.current.error.message === failure.message) return;
    this.log.error(`Session store: ${failure.technical}`, failure);
    this.setState({ kind: 'failed', error: failure });
  }

  private readonly owner: TakeOverOwner = {
    isLeft: async () =>
      this.works.size === 0 && this.current.kind === 'open' && (await this.guard.isLeft()) && this.works.size === 0,
    settle: async () => {
      while (this.works.size > 0) await Promise.allSettled(this.works);
      if (this.current.kind === 'open') await this.guard.settle();
    },
    release: () => {
      const released = this.release();
      if (!this.isClosed()) this.startReading('the window that took over');
      return released;
    },
  };

  private isClosed(): boolean {
    return this.current.kind === 'closed';
  }

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
