import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { pause } from '../../base/pause';
import {
  isRead,
  promisedOperations,
  traitsOf,
  type CallMethod,
  type MethodName,
  type SessionStore,
} from '../session/sessionStore';
import { isUnknownOutcome, StoreError } from '../storeError';

/** Pauses between attempts at a write that the disk refused, in milliseconds; the last one repeats. */
const pausesMs = [100, 400, 1000, 2000, 5000, 10_000, 30_000];

/** Attempts of a call after its first one: then 3.5 seconds have passed, and the call fails. */
export const retriesOfACall = 4;

/** Milliseconds to wait after the failed attempt of this number, counted from 0. */
export function retryPauseMs(attempt: number): number {
  return pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 30_000;
}

/** Where the calls of a window go. */
export interface CallTarget<S extends { readonly call: CallMethod }> {
  /** The store that is open now, for a call of the method. Throws the reason when there is none. */
  open(method: MethodName): S;
  /** Called when a call of that store failed. Returns the error for the caller. */
  failed(store: S, error: unknown): unknown;
  /** Opens a failed store again where the user need not decide. Resolves to false when a repeated call cannot succeed:
   *  nothing can be saved here, or not by this window. */
  reopened(): Promise<boolean>;
}

/** Calls of a window's store. One that makes a turn and that the disk refuses is repeated for a few seconds, in a new
 *  thread if the old one died, and then fails for good. Until a write succeeds again, further calls are tried once. */
export class StoreCalls<S extends { readonly call: CallMethod }> {
  /** The last write of each turn that this process runs, or has ended and could not settle in the store. */
  private readonly lastWrites = new Map<string, Promise<unknown>>();
  private refuses = false;

  constructor(
    private readonly target: CallTarget<S>,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly log: Log,
  ) {}

  readonly operations: Omit<SessionStore, 'close'> = promisedOperations((method, args, options) => {
    const call = () => this.once(method, (store) => store.call(method, args, options));
    const { isRetried, turnOf } = traitsOf(method);
    if (turnOf !== undefined) return this.ofTurn(turnOf(...args), method === 'openTurn', call);
    if (isRetried !== true) return call();
    return isRead(method) ? this.again(call) : this.ofTurn(null, false, call);
  });

  /** Turns that an opening must not settle as those of a dead process. */
  get liveTurns(): readonly string[] {
    return [...this.lastWrites.keys()];
  }

  private async once<T>(method: MethodName, call: (store: S) => Promise<T>): Promise<T> {
    const store = this.target.open(method);
    try {
      return await call(store);
    } catch (error) {
      throw this.target.failed(store, error);
    }
  }

  /** Follows which turns run here. A turn that waits for a decision is run by no process until then: it may be decided
   *  in another window. */
  private async ofTurn<T>(turnUid: string | null, opens: boolean, call: () => Promise<T>): Promise<T> {
    try {
      // It may open the turn although it fails, and is repeated after an opening: so it counts from its beginning.
      const result = await this.inOrder(turnUid, opens, call);
      const turn = turnIn(result);
      if (turn?.state === 'running') this.lastWrites.set(turn.uid, this.lastWrites.get(turn.uid) ?? Promise.resolve());
      else if (turn !== null) this.lastWrites.delete(turn.uid);
      return result;
    } catch (error) {
      if (opens && turnUid !== null) this.lastWrites.delete(turnUid);
      throw error;
    }
  }

  /** Runs the writes of a turn in sequence: a repeated one must not come after the next one. */
  private inOrder<T>(turnUid: string | null, opens: boolean, call: () => Promise<T>): Promise<T> {
    const last = turnUid === null ? undefined : this.lastWrites.get(turnUid);
    if (turnUid === null || (last === undefined && !opens)) return this.write(call);
    const next = last === undefined ? this.write(call) : last.then(() => this.write(call));
    this.lastWrites.set(
      turnUid,
      next.catch(() => undefined),
    );
    return next;
  }

  private async write<T>(call: () => Promise<T>): Promise<T> {
    try {
      const result = await this.again(call);
      this.refuses = false;
      return result;
    } catch (error) {
      this.refuses ||= isRefused(error);
      throw error;
    }
  }

  private async again<T>(call: () => Promise<T>): Promise<T> {
    if (this.refuses) await this.target.reopened();
    for (let attempt = 0; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!isRefused(error) || this.refuses || attempt === retriesOfACall) throw error;
        if (attempt === 0)
          this.log.warn(`The store failed (${error.causeClass}) and is tried again: ${error.technical}`);
        await pause(this.clock, retryPauseMs(attempt));
        if (!(await this.target.reopened())) throw error;
      }
    }
  }
}

/** The turn that a result names as stored. */
function turnIn(result: unknown): { readonly uid: string; readonly state: string } | null {
  const named = (result ?? {}) as { readonly turn?: { readonly uid: string; readonly state: string } };
  return named.turn ?? null;
}

function isRefused(error: unknown): error is StoreError {
  return error instanceof StoreError && isUnknownOutcome(error);
}
