import type { Clock } from '../../../src/base/clock';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import { StoreError } from '../../../src/store/storeError';
import { promisedOperations } from '../../../src/store/session/sessionStore';
import type { OpenedPlace } from './place';

/** Writes of a running turn: the ones whose failure its recorder has to live with. */
const turnWrites: readonly string[] = [
  'appendChunks',
  'putMessages',
  'steerTurn',
  'addUsage',
  'settleTurn',
  'requestApproval',
  'decideApproval',
];

/** How a simulated store behaves from now on. */
export interface StoreManners {
  /** Milliseconds before a call is performed, and again before its caller hears of it. */
  latencyMs: number;
  /** Calls that will fail; `when` says whether what they ask is done nevertheless. */
  failing: { times: number; when: 'before' | 'after' };
}

/** A store behind a worker as its callers know it: calls are performed in the order they were made, each takes its time, some fail, and after
 *  `die` nobody hears anything any more. Between two calls everything that waits for the first gets its turn. */
export class SlowStore {
  private dead = false;
  private underWay = 0;
  private performing = 0;
  private paused = 0;
  private closed = false;
  private performed: Promise<void> = Promise.resolve();

  constructor(
    private readonly place: Pick<OpenedPlace, 'call' | 'close' | 'isElsewhere'>,
    private readonly clock: Clock,
    private readonly manners: StoreManners,
    /** Called right behind the transaction of every call. */
    private readonly performedCall: (method: string) => void,
  ) {}

  die(): void {
    this.dead = true;
  }

  /** No call is under way. */
  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** A call is under way that does not wait for the simulated clock. */
  get isPerforming(): boolean {
    return !this.dead && (this.performing > 0 || (this.underWay > 0 && this.paused === 0));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Behind every call already made. */
  async close(): Promise<void> {
    await this.performed;
    this.closed = true;
    this.performing++;
    await this.place.close().finally(() => this.performing--);
  }

  get store(): SessionStore {
    const store = promisedOperations((method, args, options) =>
      this.inOrder(method, () => this.place.call(method, args, options)),
    );
    return { ...store, close: () => this.close() };
  }

  private inOrder<T>(method: string, work: () => Promise<T>): Promise<T> {
    this.underWay++;
    const result = this.performed.then(async () => {
      await this.pause();
      return this.attempt(method, work);
    });
    const next = (): Promise<void> | undefined => (this.place.isElsewhere ? breath() : undefined);
    this.performed = result.then(next, next);
    return result.finally(async () => {
      await this.pause();
      this.underWay--;
    });
  }

  private async attempt<T>(method: string, work: () => Promise<T>): Promise<T> {
    const { failing } = this.manners;
    const fails = failing.times > 0 && turnWrites.includes(method);
    if (fails) failing.times--;
    if (!fails || failing.when === 'after') {
      const result = await this.perform(method, work);
      if (!fails) return result;
    }
    throw new StoreError('full', 'The disk is full.', 'simulated');
  }

  private async perform<T>(method: string, work: () => Promise<T>): Promise<T> {
    this.performing++;
    try {
      const result = await work();
      this.performedCall(method);
      return result;
    } finally {
      this.performing--;
    }
  }

  private async pause(): Promise<void> {
    if (this.manners.latencyMs > 0) {
      this.paused++;
      await new Promise<void>((resolve) => this.clock.after(this.manners.latencyMs, resolve));
      this.paused--;
    }
    if (this.dead) await new Promise<never>(() => undefined);
  }
}

function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
