import { Emitter } from '../../../../src/base/disposable';
import type { LockEndpoint } from '../../../../src/store/lock/lockRecord';
import type { OpenOptions, OwnershipAttempt, StoreHome } from '../../../../src/store/ownership/storeConnection';
import { StoreError } from '../../../../src/store/storeError';
import type { OpenReport } from '../../../../src/store/worker/openedStore';
import type { MethodArguments, MethodName, MethodResults } from '../../../../src/store/session/sessionStore';
import { emptyReport } from './emptyReport';
import { closedError, type RunningStore } from '../../../../src/store/worker/storeClient';

/** One folder that several windows of a test share: who holds its lock, and the drafts it stores. */
export class FakeFolder {
  owner: { readonly endpoint: LockEndpoint; readonly window: string } | null = null;
  readonly drafts = new Map<string, string>();
  /** Windows that have the file open. More than one at a time is what must never happen. */
  readonly openIn = new Set<string>();
  mostOpenAtOnce = 0;
  readonly log: string[] = [];
}

/** A window's home on that folder. */
export class FakeHome implements StoreHome {
  readonly opened: { store: FakeRunningStore; options: OpenOptions }[] = [];
  openFailure: StoreError | null = null;
  lockFailure: StoreError | null = null;
  heartbeatFailure: StoreError | null = null;
  openDelay: Promise<void> = Promise.resolve();
  room = true;
  /** How often the lock was asked for. */
  attempts = 0;

  constructor(
    private readonly folder: FakeFolder,
    private readonly window: string,
  ) {}

  prepare(): void {
    // A fake needs no thread.
  }

  acquireLock(endpoint: LockEndpoint): OwnershipAttempt {
    this.attempts++;
    if (this.lockFailure) throw this.lockFailure;
    const owner = this.folder.owner;
    if (owner) return { kind: 'heldBy', owner: { endpoint: owner.endpoint, visible: true, description: owner.window } };
    const mine = { endpoint, window: this.window };
    this.folder.owner = mine;
    const assertHeld = (): void => {
      if (this.folder.owner === null) throw new StoreError('deleted', 'The lock was deleted.', 'fake');
      if (this.folder.owner !== mine) throw new StoreError('replaced', 'Somebody else took the history.', 'fake');
    };
    return {
      kind: 'held',
      lock: {
        fence: endpoint.token,
        assertHeld,
        heartbeat: () => {
          if (this.heartbeatFailure) throw this.heartbeatFailure;
          assertHeld();
        },
        release: () => {
          if (this.folder.owner === mine) this.folder.owner = null;
        },
      },
    };
  }

  isHeld(): boolean {
    return this.folder.owner !== null;
  }

  async open(options: OpenOptions): Promise<{ store: RunningStore; report: OpenReport }> {
    await this.openDelay;
    if (this.openFailure) throw this.openFailure;
    const store = new FakeRunningStore(this.folder, this.window, options.snapshot !== null);
    this.opened.push({ store, options });
    return {
      store,
      report: {
        ...emptyReport,
        readOnly:
          options.fence === null
            ? { causeClass: 'readOnly', message: 'The folder is read-only.', technical: 'EROFS' }
            : null,
      },
    };
  }

  leaveReplaced(): void {
    // A fake keeps no copies.
  }

  hasSpace(): boolean {
    return this.room;
  }

  dispose(): void {
    // Nothing was prepared.
  }

  get current(): FakeRunningStore {
    const last = this.opened.at(-1);
    if (!last) throw new Error('Nothing was opened.');
    return last.store;
  }
}

/** Stores drafts, can be told to fail. */
export class FakeRunningStore implements RunningStore {
  private readonly failures = new Emitter<StoreError>();
  private readonly background = new Emitter<StoreError>();
  readonly onDidFail = this.failures.event;
  readonly onDidFailInBackground = this.background.event;
  nextFailure: StoreError | null = null;
  private open = true;

  constructor(
    private readonly folder: FakeFolder,
    private readonly window: string,
    private readonly isSnapshot: boolean,
  ) {
    if (isSnapshot) return;
    folder.openIn.add(window);
    folder.mostOpenAtOnce = Math.max(folder.mostOpenAtOnce, folder.openIn.size);
    folder.log.push(`${window} opens`);
  }

  async call<M extends MethodName>(method: M, args: MethodArguments[M]): Promise<MethodResults[M]> {
    if (!this.open) throw closedError();
    if (this.nextFailure) throw this.nextFailure;
    return this.answer(method, args) as MethodResults[M];
  }

  openPort(): never {
    throw new Error('The fake store has no thread.');
  }

  async close(): Promise<void> {
    await new Promise(setImmediate);
    this.end('closes');
  }

  async abandon(): Promise<void> {
    this.end('abandons');
  }

  die(error: StoreError): void {
    this.end('dies');
    this.failures.fire(error);
  }

  private end(how: string): void {
    if (!this.open) return;
    this.open = false;
    if (this.isSnapshot) return;
    this.folder.openIn.delete(this.window);
    this.folder.log.push(`${this.window} ${how}`);
  }

  private answer(method: MethodName, args: readonly unknown[]): unknown {
    const key = String(args[0]);
    if (method === 'setDraft') return void this.folder.drafts.set(key, String(args[1]));
    if (method === 'draft') return this.folder.drafts.get(key) ?? '';
    if (method === 'sessionMode') return null;
    throw new Error(`The fake store has no ${method}.`);
  }
}
