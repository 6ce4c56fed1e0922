import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { pause } from '../../base/pause';
import type { SessionStore } from '../sessionStore';
import { isUnknownOutcome, StoreError } from '../storeError';
import type { StoreConnection } from './storeConnection';

/** Pauses between attempts at a write that the disk refused, in milliseconds; the last one repeats. */
const pausesMs = [100, 400, 1000, 2000, 5000, 10_000, 30_000];

/** Attempts of a call after its first one: then 3.5 seconds have passed, and the call fails. */
export const retriesOfACall = 4;

/** Milliseconds to wait after the failed attempt of this number, counted from 0. */
export function retryPauseMs(attempt: number): number {
  return pausesMs[Math.min(attempt, pausesMs.length - 1)] ?? 30_000;
}

/** Causes of a failed store that need the user's decision. After any other cause it is opened again, in a new
 *  thread. */
const needDecision: readonly string[] = ['corrupt', 'locked', 'replaced', 'newer'];

/** Opens a failed store again, where no decision of the user is needed. Resolves to false when a repeated call cannot
 *  succeed: nothing can be saved here, or not by this window. */
export async function reopened(connection: Pick<StoreConnection, 'state' | 'open'>): Promise<boolean> {
  const decides = (): boolean => {
    const { state } = connection;
    return state.kind === 'failed' && needDecision.includes(state.error.causeClass);
  };
  const { kind } = connection.state;
  if (kind === 'opening' || (kind === 'failed' && !decides())) await connection.open();
  return connection.state.kind === 'open' || (connection.state.kind === 'failed' && !decides());
}

/** The store for everything that makes a turn. A call that the disk refuses is repeated for a few seconds, in a new
 *  thread if the old one died, and then fails for good. Until a write succeeds again, further calls are tried once.
 *  Every write here may be repeated: it is then done, or returns what was already done. */
export class RetryingStore {
  readonly store: SessionStore;
  /** The last write of each turn that this process runs, or has ended and could not settle in the store. */
  private readonly lastWrites = new Map<string, Promise<unknown>>();
  private refuses = false;

  constructor(
    private readonly inner: SessionStore,
    /** `reopened` of the store's connection. */
    private readonly isUsable: () => Promise<boolean>,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly log: Log,
  ) {
    this.store = { ...inner, ...this.retried() };
  }

  /** Turns that an opening must not settle as those of a dead process. */
  get liveTurns(): readonly string[] {
    return [...this.lastWrites.keys()];
  }

  private retried(): Partial<SessionStore> {
    const { inner } = this;
    return {
      createSession: (...args) => this.write(() => inner.createSession(...args)),
      endSession: (...args) => this.write(() => inner.endSession(...args)),
      branchSession: (...args) => this.write(() => inner.branchSession(...args)),
      compressSession: (...args) => this.write(() => inner.compressSession(...args)),
      repairTranscript: (...args) => this.write(() => inner.repairTranscript(...args)),
      openTurn: (...args) => this.openTurn(...args),
      appendChunks: (batch) => this.inOrder(batch.turnUid, () => inner.appendChunks(batch)),
      putMessages: (rows) => this.inOrder(rows[0]?.turnUid ?? null, () => inner.putMessages(rows)),
      addUsage: (turnUid, usage) => this.inOrder(turnUid, () => inner.addUsage(turnUid, usage)),
      steerTurn: (input) => this.inOrder(input.turnUid, () => inner.steerTurn(input)),
      settleTurn: (input) =>
        this.leave(
          input.turnUid,
          this.inOrder(input.turnUid, () => inner.settleTurn(input)),
        ),
      requestApproval: async (input) => {
        const asked = await this.inOrder(input.turnUid, () => inner.requestApproval(input));
        // No process runs it until it is decided, possibly in another window.
        if (asked.turn.state === 'waiting') this.lastWrites.delete(input.turnUid);
        return asked;
      },
      decideApproval: async (...args) => {
        const decided = await this.write(() => inner.decideApproval(...args));
        if (decided.turn.state === 'running') this.lastWrites.set(decided.turn.uid, Promise.resolve());
        return decided;
      },
      activeMessages: (...args) => this.again(() => inner.activeMessages(...args)),
      promptContext: (...args) => this.again(() => inner.promptContext(...args)),
    };
  }

  private async openTurn(...args: Parameters<SessionStore['openTurn']>): ReturnType<SessionStore['openTurn']> {
    const [{ turnUid }] = args;
    // Before the call: it may have opened the turn although it failed, and is repeated after an opening.
    this.lastWrites.set(turnUid, Promise.resolve());
    try {
      const opened = await this.write(() => this.inner.openTurn(...args));
      if (opened.turn.state !== 'running') this.lastWrites.delete(turnUid);
      return opened;
    } catch (error) {
      this.lastWrites.delete(turnUid);
      throw error;
    }
  }

  private async leave<T>(turnUid: string, settling: Promise<T>): Promise<T> {
    const settled = await settling;
    this.lastWrites.delete(turnUid);
    return settled;
  }

  /** Runs the writes of a turn in sequence: a repeated one must not come after the next one. */
  private inOrder<T>(turnUid: string | null, call: () => Promise<T>): Promise<T> {
    const last = turnUid === null ? undefined : this.lastWrites.get(turnUid);
    if (turnUid === null || last === undefined) return this.write(call);
    const next = last.then(() => this.write(call));
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
    if (this.refuses) await this.isUsable();
    for (let attempt = 0; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!isRefused(error) || this.refuses || attempt === retriesOfACall) throw error;
        if (attempt === 0)
          this.log.warn(`The store failed (${error.causeClass}) and is tried again: ${error.technical}`);
        await pause(this.clock, retryPauseMs(attempt));
        if (!(await this.isUsable())) throw error;
      }
    }
  }
}

function isRefused(error: unknown): error is StoreError {
  return error instanceof StoreError && isUnknownOutcome(error);
}
