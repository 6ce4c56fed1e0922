import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { Emitter, type Disposable } from '../../base/disposable';
import { pause } from '../../base/pause';
import type { LockOwner } from '../lock/acquireLock';
import { StoreError } from '../storeError';
import { HandoverRequest, type HandoverOutcome, type HandoverPatience } from './handoverRequest';
import type { StoreState } from './storeState';

/** The lock as its holder sees it. */
export interface OwnedLock {
  /** Identity of this one lock file; the worker checks it before every acknowledgement. */
  readonly fence: string;
  /** Throws a `StoreError`: `replaced` when another process now holds the store, `deleted` when the lock's file is
   *  gone. */
  assertHeld(): void;
  heartbeat(): void;
  release(): void;
}

export type OwnershipAttempt =
  { readonly kind: 'held'; readonly lock: OwnedLock } | { readonly kind: 'heldBy'; readonly owner: LockOwner };

export interface OwnershipPatience extends HandoverPatience {
  /** Milliseconds for which an owner that does not answer is asked again. VS Code's old and new host of a window
   *  overlap for up to 6 s at a reload. */
  readonly lockedMs: number;
  /** The same for an owner that is known only by its heartbeat: longer than the age at which a heartbeat counts as
   *  stopped. */
  readonly invisibleLockedMs: number;
  readonly retryMs: number;
}

export const usualPatience: OwnershipPatience = {
  answerMs: 2500,
  closingMs: 20_000,
  lockedMs: 10_000,
  invisibleLockedMs: 70_000,
  retryMs: 200,
};

type Choice = 'nothing' | 'wait' | 'stop';

/** Obtains a store's lock. Takes it when it is free or its owner is provably gone, otherwise asks the owner, until
 *  it is ours, disposed, or the owner clearly does not answer. Starts over after every answer, because a third
 *  window may take the lock between two checks. */
export class LockAcquisition implements Disposable {
  private readonly states = new Emitter<StoreState>();
  private request: HandoverRequest | null = null;
  private busy: { readonly sessionTitle: string | null } | null = null;
  private choice: Choice = 'nothing';
  private disposed = false;
  private wake: () => void = () => undefined;
  /** Emits `opening` with the blocking owner, and `waitingForOwner`. */
  readonly onState = this.states.event;

  constructor(
    private readonly attempt: () => OwnershipAttempt,
    private readonly clock: Clock,
    private readonly patience: OwnershipPatience,
  ) {}

  /** The lock, or null when this object was disposed first. Rejects with a `StoreError`: `locked` when the owner
   *  does not answer. */
  async obtain(): Promise<OwnedLock | null> {
    let since = this.clock.monotonicMs();
    while (!this.disposed) {
      const attempt = this.attempt();
      if (attempt.kind === 'held') return attempt.lock;
      const outcome = await this.ask(attempt.owner);
      if (this.busy) {
        this.busy = null;
        since = this.clock.monotonicMs();
        this.states.fire({ kind: 'opening', blockedBy: null });
      }
      if (outcome.kind === 'released') continue;
      // The owner refused the user's choice. Ask the user again rather than the owner five times a second.
      if (outcome.kind === 'refused') this.choice = 'nothing';
      const waited = this.clock.monotonicMs() - since;
      if (waited > (attempt.owner.visible ? this.patience.lockedMs : this.patience.invisibleLockedMs))
        throw locked(attempt.owner, outcome);
      this.states.fire({
        kind: 'opening',
        blockedBy: waited > this.patience.answerMs ? attempt.owner.description : null,
      });
      await this.pause();
    }
    return null;
  }

  choose(choice: 'wait' | 'stop'): void {
    if (!this.busy || this.choice === 'stop') return;
    this.choice = choice;
    this.request?.ask(choice);
    this.reportBusy(this.busy.sessionTitle);
  }

  dispose(): void {
    this.disposed = true;
    this.request?.dispose();
    this.wake();
    this.states.dispose();
  }

  private ask(owner: LockOwner): Promise<HandoverOutcome> {
    const endpoint = owner.endpoint;
    if (!endpoint) return Promise.resolve({ kind: 'unreachable', technical: 'The lock names no socket.' });
    const request = new HandoverRequest(endpoint, this.clock, this.patience);
    this.request = request;
    return new Promise<HandoverOutcome>((resolve) => {
      this.wake = () => resolve({ kind: 'gone' });
      request.onOutcome((outcome) => {
        if (outcome.kind !== 'busy') return resolve(outcome);
        this.reportBusy(outcome.sessionTitle);
        // The choice outlives a broken connection: it was about the turn, which may still be running.
        if (this.choice !== 'nothing') request.ask(this.choice);
      });
      request.ask('handOver');
    }).finally(() => {
      request.dispose();
      this.request = null;
    });
  }

  private reportBusy(sessionTitle: string | null): void {
    this.busy = { sessionTitle };
    this.states.fire({ kind: 'waitingForOwner', sessionTitle, chosen: this.choice });
  }

  private async pause(): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await pause(this.clock, this.patience.retryMs, woken.signal);
  }
}

function locked(owner: LockOwner, outcome: HandoverOutcome): StoreError {
  const reason = 'technical' in outcome ? outcome.technical : outcome.kind;
  return new StoreError(
    'locked',
    t(
      'Another window has your sessions open and isn’t responding ({owner}). Close it or wait. Your sessions open here as soon as they are free.',
      { owner: owner.description },
    ),
    `Hand-over: ${reason}`,
  );
}
