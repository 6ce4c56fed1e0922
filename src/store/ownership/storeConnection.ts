import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { SessionStore } from '../sessionStore';
import type { WorkProgress } from '../slicedWork';
import { readableOnly } from '../engine/sqlFailure';
import { StoreError } from '../storeError';
import type { OpenReport } from '../worker/openedStore';
import {
  promisedOperations,
  type MethodArguments,
  type MethodName,
  type MethodResults,
} from '../worker/sessionMethods';
import type { RunningStore } from '../worker/storeClient';
import { reviveStoreError } from '../worker/storeErrorData';
import { LockAcquisition, type HeldLock, type LockAttempt, type OwnershipPatience } from './lockAcquisition';
import type { LockEndpoint } from '../lock/lockRecord';
import { HandoverServer, type HandoverOwner } from './handoverServer';
import { unavailable, type StoreState } from './storeState';

/** What the gateway tells about running turns when another window asks for the history. */
export interface TurnGuard {
  /** The session whose turn would be cut off now; null when none runs. */
  isBusy(): { readonly sessionTitle: string | null } | null;
  /** Settles every running turn and starts no other; resolves when that is on disk. */
  stopRunning(): Promise<void>;
  /** The store is closed or lost: turns that wait for the person are left to wait there. At once. */
  leaveWaiting(): void;
}

/** The outside world of a connection. */
export interface StoreHome {
  /** Begins what takes long and needs no lock. */
  prepare(): void;
  /** Takes the folder's lock for this process, naming how its owner is reached, or says who holds it. Throws a `StoreError` (`readOnly`:
   *  no lock can be written there). */
  acquireLock(endpoint: LockEndpoint): LockAttempt;
  /** Starts a worker and opens the store in it. */
  open(options: OpenOptions): Promise<{ readonly store: RunningStore; readonly report: OpenReport }>;
  /** Gives a copy of a replaced store a name under which it is not offered again. */
  leaveReplaced(path: string): void;
  /** Whether the disk takes a file again as large as an opening may need. */
  hasRoom(): boolean;
  /** Lets go what was prepared and not used. */
  dispose(): void;
}

export interface OpenOptions {
  /** The held lock's mark, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** The file was found damaged while in use: set it aside and save what can be read. */
  readonly salvage: boolean;
  /** Bring back the sessions of copies that another file took the place of. */
  readonly bringsBack: boolean;
}

const heartbeatMs = 15_000;
/** How often a window that does not answer is asked again once that was said. */
const askAgainMs = 5000;
/** A file that is damaged again so soon after it was repaired lies on a disk nobody can trust; the person decides then. */
const betweenRepairsMs = 60_000;
/** How often a full disk is asked whether there is room again. */
const roomLookMs = 5000;
/** Causes after which the open store must not be used any more. */
const fatalCauses: readonly string[] = ['corrupt', 'replaced', 'deleted'];
/** What a window does of itself while it comes up: looking, and keeping house. Everything else counts as asked for by a person. */
const ownMethods: ReadonlySet<MethodName> = new Set<MethodName>([
  'getSession',
  'listSessions',
  'findSession',
  'resolveSessionId',
  'conversationTip',
  'branchesOf',
  'activeMessages',
  'revisionsOf',
  'apiContents',
  'getMessage',
  'getTurn',
  'openTurnOf',
  'promptVersions',
  'readTranscript',
  'transcriptOutline',
  'findInTranscript',
  'transcriptRows',
  'storedRow',
  'subAgentsOf',
  'queue',
  'queuedPrompt',
  'draft',
  'draftParts',
  'search',
  'statistics',
  'verifyIntegrity',
  'getMeta',
  'setMeta',
  'deleteMeta',
  'setSeen',
  'pruneTrash',
  'recoverTurns',
  'indexBatch',
  'checkpoint',
  'outboxDue',
  'outboxDone',
  'outboxFailed',
  'outboxCounts',
]);

/** This window's tie to the history of its folder, across hand-overs, failures and reopenings. `store` stays the same object for ever. */
export class StoreConnection implements Disposable {
  private readonly states = new Emitter<StoreState>();
  private current: StoreState = { kind: 'opening', blockedBy: null };
  private running: RunningStore | null = null;
  private lock: HeldLock | null = null;
  private server: HandoverServer | null = null;
  private acquisition: LockAcquisition | null = null;
  private opening: Promise<void> | null = null;
  /** Everything that closes something, one after the other; an opening waits for it. */
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
  /** Why the store is opened again while nobody asked for it: what calls are told meanwhile. */
  private repairing: StoreError | null = null;
  /** Why no lock could be written, although nobody holds the store. */
  private lockObstacle: StoreError | null = null;
  private cancelRoomLook: () => void = () => undefined;
  private repairedAt = Number.NEGATIVE_INFINITY;
  private used = false;
  readonly onDidChangeState = this.states.event;

  constructor(
    private home: StoreHome,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly patience: OwnershipPatience,
  ) {}

  /** Every method rejects with a `StoreError` that says why while the store is not open. */
  readonly store: SessionStore = {
    ...promisedOperations((method, args, signal, onProgress) => this.forward(method, args, signal, onProgress)),
    close: () => this.close(),
  };

  get state(): StoreState {
    return this.current;
  }

  /** Whether anything a person said or decided was to be kept here since this window came up, or since it moved. */
  get isUsed(): boolean {
    return this.used;
  }

  /** Whether the folder was opened, or is being opened. */
  get isInUse(): boolean {
    return this.opening !== null || this.running !== null || this.current.kind !== 'opening';
  }

  /** Before a guard is set, no turn is running. */
  setTurnGuard(guard: TurnGuard): void {
    this.guard = guard;
  }

  /** Opens the store, asking its owner to hand it over where there is one. Resolves when the state is no longer `opening`, or when the owner
   *  is busy and a decision is due. Never rejects: failures are states. */
  open(): Promise<void> {
    const kind = this.current.kind;
    const underWay = this.opening !== null && (kind === 'opening' || kind === 'waitingForOwner');
    if (!underWay && kind !== 'open' && kind !== 'closed') this.startOpening();
    return this.settledState();
  }

  /** "Continue here": asks the other window for the history. */
  reclaim(): Promise<void> {
    return this.current.kind === 'continuedElsewhere' ? this.open() : this.settledState();
  }

  /** Opens again after a failure, or after the folder was made writable. */
  async retry(): Promise<void> {
    if (this.current.kind === 'readOnly') {
      await this.closeRunning();
      return this.open();
    }
    return this.current.kind === 'failed' ? this.open() : this.settledState();
  }

  /** Opens again and brings back the sessions of copies that another file took the place of. Resolves like `open`. */
  bringBack(): Promise<void> {
    if (this.current.kind === 'open') {
      this.bringsBack = true;
      this.ending = this.ending.then(() => this.closeRunning());
      this.startOpening();
    }
    return this.settledState();
  }

  /** Keeps a copy that another file took the place of where it is, and does not offer it again. Throws what the disk says. */
  leaveReplaced(path: string): void {
    this.home.leaveReplaced(path);
  }

  /** Takes the history over as soon as the owner's turn has settled. */
  waitForOwner(): void {
    this.acquisition?.choose('wait');
  }

  /** Asks the owner to stop its turn and hand over. What it had shown is saved there before. */
  askOwnerToStop(): void {
    this.acquisition?.choose('stop');
  }

  /** Goes on in another folder, as if this window had come up there; what is open is closed in order. Opens there at once where it was open
   *  here. Resolves like `open`. */
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

  /** Finishes what was asked of the store, checkpoints, closes and gives up ownership. Safe to call twice. */
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

  /** Behind the opening and the endings that are under way. */
  private startOpening(patience = this.patience): void {
    this.cancelAskAgain();
    // At once, so that nobody who waits sees the state before.
    if (patience === this.patience) this.setState({ kind: 'opening', blockedBy: null });
    const opening = Promise.all([this.opening, this.ending]).then(() => this.openOnce(patience));
    this.opening = opening;
    void opening.then(() => {
      if (this.opening === opening) this.opening = null;
    });
  }

  /** Asks a window again that did not answer. Until it does, or is gone, what was said of it stays. */
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
      // A window that was asked again has answered, after that had been given up.
      if (this.current.kind === 'failed' || this.current.kind === 'waitingForOwner')
        this.setState({ kind: 'opening', blockedBy: null });
      const fence = this.lock?.fence ?? null;
      const { store, report } = await home.open({ fence, salvage: this.damaged, bringsBack: this.bringsBack });
      this.bringsBack = false;
      this.adopt(store);
      // Moved meanwhile: what was opened is closed again, and nobody hears of it.
      if (home !== this.home) return;
      this.damaged = false;
      this.repairing = null;
      this.announce(report);
    } catch (error) {
      // Where nothing can be read either, what kept the lock from being written is what there is to say.
      if (home === this.home)
        this.fail(
          error instanceof StoreError && error.causeClass === 'readOnly' ? (this.lockObstacle ?? error) : error,
        );
      else this.log.warn(`A folder that was left could not be opened: ${technicalOf(error)}`);
    }
  }

  /** Whether to go on: true with the lock held, or with a folder in which nobody can hold one. */
  private async holdLock(home: StoreHome, patience: OwnershipPatience): Promise<boolean> {
    if (this.stillHeld()) return true;
    const server = new HandoverServer(this.owner, this.clock);
    // Without a socket the store works; only handing over does not.
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

  /** The lock outlives a failed store, unless somebody took it for a dead process's meanwhile. */
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

  /** A damaged file that may not be changed cannot be repaired either: the rest of it can still be read. */
  private isFatal({ causeClass }: StoreError): boolean {
    return fatalCauses.includes(causeClass) && !(causeClass === 'corrupt' && this.current.kind === 'readOnly');
  }

  private announce(report: OpenReport): void {
    // A hand-over or the window's end was asked for meanwhile; it closes what has just been opened.
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
    this.used ||= !ownMethods.has(method);
    try {
      return await store.call(method, args, signal, onProgress);
    } catch (error) {
      if (error instanceof StoreError && this.isFatal(error)) this.lose(store, error);
      // SQLite knows that it may not write, and not why: a full disk, perhaps.
      throw error instanceof StoreError && error.causeClass === 'readOnly' && this.current.kind === 'readOnly'
        ? this.current.error
        : error;
    }
  }

  /** The open store is of no use any more: its thread died, its file is damaged or belongs to somebody else. */
  private lose(store: RunningStore, error: StoreError): void {
    if (this.running !== store) return;
    this.running = null;
    this.guard.leaveWaiting();
    this.damaged ||= error.causeClass === 'corrupt';
    // Until the thread has ended it could still write; nobody may open the file before.
    this.ending = this.ending.then(() => this.abandon(store, error));
    if (this.repair(error)) return;
    if (error.causeClass === 'deleted') this.regain(error);
    else this.fail(error);
  }

  /** Opens a damaged file again at once, which sets it aside and saves what can be read. Whether it does. */
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

  /** Nobody else has the store: opening takes the lock again, where it is free, and puts back what was saved of a deleted file. */
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
            'Your sessions couldn’t be opened. Retry, or see the log for details.',
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
      // Begun before anybody hears of it: who asks the history back at once waits for it to be given away.
      const released = this.release();
      this.setState({ kind: 'continuedElsewhere' });
      return released;
    },
  };

  /** Closes the store and gives up the lock, once, also when several ask. */
  private release(): Promise<void> {
    this.guard.leaveWaiting();
    // The opening that is under way now; a later one waits for this ending.
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
      // Only the last tidying failed. Every acknowledged write is in the log of the database, which the next owner reads.
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
        // A full disk, say. Only who cannot see this process would mind, and the next beat may succeed.
        this.log.warn(`The heartbeat of the session store failed: ${technicalOf(error)}`);
      }
      if (this.lock) this.beat();
    });
  }

  /** The thread that has the files open saves what they hold, where they went together with the lock, and says so. */
  private async loseLock(store: RunningStore, error: StoreError): Promise<void> {
    const told = await store.call('checkpoint', []).then(
      () => error,
      (failure: unknown) => failure,
    );
    this.lose(store, isLost(told) ? told : error);
  }

  private setState(state: StoreState): void {
    if (this.current.kind === 'closed') return;
    this.current = state;
    this.cancelRoomLook();
    if ((state.kind === 'failed' || state.kind === 'readOnly') && state.error.causeClass === 'full') this.lookForRoom();
    this.states.fire(state);
  }

  /** A full disk is nobody's decision: the store is opened again as soon as there is room. */
  private lookForRoom(): void {
    this.cancelRoomLook = this.clock.after(roomLookMs, () => {
      if (this.home.hasRoom()) void this.retry();
      else this.lookForRoom();
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
  return error instanceof Error ? error.message : String(error);
}
