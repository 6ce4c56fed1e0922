import type { Clock } from '../../../src/base/clock';
import type { SessionOperations, SessionStore } from '../../../src/store/sessionStore';
import { StoreError } from '../../../src/store/storeError';
import { perform, promisedOperations } from '../../../src/store/worker/sessionMethods';

/** Writes of a running turn: the ones whose failure its recorder has to live with. */
const turnWrites: readonly string[] = ['appendChunks', 'putMessages', 'steerTurn', 'addUsage', 'settleTurn'];

/** How a simulated store behaves from now on. */
export interface StoreManners {
  /** Milliseconds before a call is performed, and again before its caller hears of it. */
  latencyMs: number;
  /** Calls that will fail; `when` says whether what they ask is done nevertheless. */
  failing: { times: number; when: 'before' | 'after' };
}

/** A store behind a worker as its callers know it: calls are performed in the order they were made, each takes its time, some fail, and after
 *  `die` nobody hears anything any more. */
export class SlowStore {
  private dead = false;
  private performed: Promise<void> = Promise.resolve();

  constructor(
    private readonly operations: SessionOperations,
    private readonly clock: Clock,
    private readonly manners: StoreManners,
    private readonly close: () => void,
  ) {}

  die(): void {
    this.dead = true;
  }

  get store(): SessionStore {
    const store = promisedOperations((method, args) => this.inOrder(method, () => perform(this.operations, method, args)));
    return { ...store, close: async () => this.close() };
  }

  private inOrder<T>(method: string, work: () => T): Promise<T> {
    const result = this.performed.then(async () => {
      await this.pause();
      return this.attempt(method, work);
    });
    this.performed = result.then(() => undefined, () => undefined);
    return result.finally(() => this.pause());
  }

  private attempt<T>(method: string, work: () => T): T {
    const { failing } = this.manners;
    if (failing.times === 0 || !turnWrites.includes(method)) return work();
    failing.times--;
    if (failing.when === 'after') work();
    throw new StoreError('full', 'The disk is full.', 'simulated');
  }

  private async pause(): Promise<void> {
    if (this.manners.latencyMs > 0) await new Promise<void>((resolve) => this.clock.after(this.manners.latencyMs, resolve));
    if (this.dead) await new Promise<never>(() => undefined);
  }
}
