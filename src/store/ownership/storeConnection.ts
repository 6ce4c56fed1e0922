import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { SearchProgress, SessionStore } from '../sessionStore';
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
  /** Lets go what was prepared and not used. */
  dispose(): void;
}

export interface OpenOptions {
  /** The held lock's mark, checked before every acknowledgement; null opens for reading only. */
  readonly fence: string | null;
  /** The file was found damaged while in use: set it aside and save what can be read. */
  readonly salvage: boolean;
}

const heartbeatMs = 15_000;
/** Causes after which the open store must not be used any more. */
const fatalCauses: readonly string[] = ['corrupt', 'replaced'];
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
    this.used = false;
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
    this.acquisition?.dispose();
    await this.release();
    this.home.dispose();
  }

  dispose(): void {
    void this.close();
  }

  /** Behind the opening and the endings that are under way. */
  private startOpening(): void {
    // At once, so that nobody who waits sees the state before.
    this.setState({ kind: 'opening', blockedBy: null });
    const opening = Promise.all([this.opening, this.ending]).then(() => this.openOnce());
    this.opening = opening;
    void opening.then(() => {
      if (this.opening === opening) this.opening = null;
    });
  }

  private async openOnce(): Promise<void> {
    if (this.current.kind === 'closed') return;
    const { home } = this;
    home.prepare();
    try {
      if (!(await this.holdLock(home))) return;
      const fence = this.lock?.fence ?? null;
      const { store, report } = await home.open({ fence, salvage: this.damaged });
      this.adopt(store);
      // Moved meanwhile: what was opened is closed again, and nobody hears of it.
      if (home !== this.home) return;
      this.damaged = false;
      this.announce(report);
    } catch (error) {
      if (home === this.home) this.fail(error);
      else this.log.warn(`A folder that was left could not be opened: ${technicalOf(error)}`);
    }
  }

  /** Whether to go on: true with the lock held, or with a folder in which nobody can hold one. */
  private async holdLock(home: StoreHome): Promise<boolean> {
    if (this.stillHeld()) return true;
    const server = new HandoverServer(this.owner, this.clock);
    // Without a socket the store works; only handing over does not.
    await server
      .listen()
      .catch((error: unknown) =>
        this.log.warn(`Other windows cannot ask for the session store: ${technicalOf(error)}`),
      );
    const acquisition = new LockAcquisition(() => home.acquireLock(server.endpoint), this.clock, this.patience);
    acquisition.onState((state) => this.setState(state));
    this.acquisition = acquisition;
    try {
      this.lock = await acquisition.obtain();
    } catch (error) {
      server.close();
      if (error instanceof StoreError && error.causeClass === 'readOnly') return true;
      throw error;
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
      if (!isReplaced(error)) throw error;
      this.dropLock();
    }
    return this.lock !== null;
  }

  private adopt(store: RunningStore): void {
    this.running = store;
    store.onDidFail((error) => this.lose(store, error));
    store.onDidFailInBackground((error) => {
      this.log.error(`Care of the session store failed: ${error.technical}`, error);
      if (fatalCauses.includes(error.causeClass)) this.lose(store, error);
    });
  }

  private announce(report: OpenReport): void {
    // A hand-over or the window's end was asked for meanwhile; it closes what has just been opened.
    if (this.current.kind !== 'opening') return;
    this.setState(
      report.readOnly
        ? { kind: 'readOnly', report, error: reviveStoreError(report.readOnly) }
        : { kind: 'open', report },
    );
  }

  private async forward<M extends MethodName>(
    method: M,
    args: MethodArguments[M],
    signal?: AbortSignal,
    onProgress?: (progress: SearchProgress) => void,
  ): Promise<MethodResults[M]> {
    const store = this.running;
    if (!store) throw unavailable(this.current);
    this.used ||= !ownMethods.has(method);
    try {
      return await store.call(method, args, signal, onProgress);
    } catch (error) {
      if (error instanceof StoreError && fatalCauses.includes(error.causeClass)) this.lose(store, error);
      throw error;
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
    this.fail(error);
  }

  private async abandon(store: RunningStore, error: StoreError): Promise<void> {
    await store.abandon();
    if (error.causeClass === 'replaced') this.dropLock();
  }

  private fail(error: unknown): void {
    const failure =
      error instanceof StoreError
        ? error
        : new StoreError(
            'unknown',
            'The session history could not be opened. Retry, or see the log for details.',
            technicalOf(error),
          );
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
        if (isReplaced(error) && this.running) return this.lose(this.running, error);
        // A full disk, say. Only who cannot see this process would mind, and the next beat may succeed.
        this.log.warn(`The heartbeat of the session store failed: ${technicalOf(error)}`);
      }
      if (this.lock) this.beat();
    });
  }

  private setState(state: StoreState): void {
    if (this.current.kind === 'closed') return;
    this.current = state;
    this.states.fire(state);
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

function isReplaced(error: unknown): error is StoreError {
  return error instanceof StoreError && error.causeClass === 'replaced';
}

function technicalOf(error: unknown): string {
  if (error instanceof StoreError) return error.technical;
  return error instanceof Error ? error.message : String(error);
}
