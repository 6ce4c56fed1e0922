import type { Clock } from '../../../base/clock';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { resultWithin } from '../../../base/pause';
import { newerSession } from '../../../store/engine/sqlFailure';
import type { ServerAccount } from '../../../transcript/verification';
import { fetchQuery, SyncRound, type SyncRoundDeps } from './syncRound';
import { serverAccount } from './serverAccount';
import { syncFailureIn } from './syncFailure';
import type { LeaseAnswer } from './syncServer';
import type { TurnSharing } from './turnSharing';

export interface SyncServiceDeps extends Omit<SyncRoundDeps, 'fenceOf' | 'leaseAgain' | 'onReceived'> {
  readonly clock: Clock;
  readonly log: Log;
  /** A sentence for the user, and if it is worth trying again soon. */
  readonly describe: (error: unknown) => { readonly sentence: string; readonly isTemporary: boolean };
  /** Conversations in which a turn runs here. */
  readonly running: () => ReadonlySet<string>;
  /** Shows turns that run here to other machines. */
  readonly sharing?: Pick<TurnSharing, 'begin' | 'end'>;
  /** See `SyncRound`. */
  readonly onReceived: (conversationId: string, branchId: string | null) => Promise<void>;
  /** Called when a copy of this store uses its id: it needs another one. */
  readonly onTwin?: () => void;
}

/** `upTo`: seconds since the epoch at which everything stored here was on the server; null: not since the window
 *  started. `waiting`: conversations that are not on the server as they are here. `waitingSince`: of the oldest change,
 *  in seconds since the epoch. */
export interface SyncStatus {
  readonly upTo: number | null;
  readonly waiting: number;
  readonly waitingSince: number | null;
  /** Sessions of which the server removed something without a proof, since the window started. It is kept here. */
  readonly removed: number;
  /** Sessions that wait by themselves, and why. All others are exchanged. */
  readonly refused: readonly { readonly conversationId: string; readonly sentence: string }[];
  /** The reason why nothing can be exchanged now; null while all is well. */
  readonly failure: { readonly sentence: string; readonly since: number } | null;
}

/** Result of asking before a turn. `divided`: the conversation was continued elsewhere, and what was added here is
 *  a branch now. */
export type TurnStart = { readonly kind: 'free' | 'divided' } | { readonly kind: 'leased'; readonly machine: string };

/** Milliseconds between a change here and the exchange: several changes become one. */
const settleMs = 150;
/** Milliseconds between two looks at the server, by the time since anything was exchanged. */
const paces = [
  { untilMs: 60_000, everyMs: 600 },
  { untilMs: 5 * 60_000, everyMs: 5000 },
  { untilMs: 60 * 60_000, everyMs: 30_000 },
  // A server that is paid by use can sleep.
  { untilMs: Number.POSITIVE_INFINITY, everyMs: 5 * 60_000 },
] as const;
/** Milliseconds after the first failure; doubled with each further one. */
const firstRetryMs = 2000;
const longestRetryMs = 5 * 60_000;
/** Milliseconds that a turn waits for the server before it begins without it. */
const turnTimeoutMs = 1500;
/** Milliseconds between two renewals of a lease, which lasts a minute. */
const renewMs = 20_000;
/** Milliseconds from a lease to the turn that it was for. */
const openingMs = 10_000;

interface Lease {
  readonly fence: number;
  readonly grantedAt: number;
  /** True once the turn that it is for was seen to run. */
  hasRun: boolean;
}

/** Keeps one store and the server alike while a window has the store open: sends what changes here, looks for what
 *  other machines sent, and holds the leases of running turns. A server that is slow or gone costs nothing but its
 *  news. */
export class SyncService implements Disposable {
  private readonly changes = new Emitter<SyncStatus>();
  private readonly ending = new AbortController();
  private readonly removed = new Set<string>();
  private readonly leases = new Map<string, Lease>();
  private round: SyncRound;
  private status: SyncStatus = { upTo: null, waiting: 0, waitingSince: null, removed: 0, refused: [], failure: null };
  private working: Promise<void> | null = null;
  private isDue = false;
  private failures = 0;
  private activeAt: number;
  private cancelNext: () => void = () => undefined;
  private cancelRenewal: () => void = () => undefined;
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: SyncServiceDeps) {
    this.activeAt = deps.clock.monotonicMs();
    this.round = this.newRound();
  }

  get state(): SyncStatus {
    return this.status;
  }

  start(): void {
    this.exchange();
    this.renewLater();
  }

  /** Called when something was stored here, or when the user looks. */
  nudge(): void {
    this.activeAt = this.deps.clock.monotonicMs();
    if (this.ending.signal.aborted || this.failures > 0) return;
    this.schedule(settleMs);
  }

  /** Exchanges now, and resolves when that is done. Rejects with what went wrong. */
  async exchangeNow(): Promise<void> {
    await this.working;
    // What cannot be stored is tried again at once.
    if (this.status.failure !== null || this.status.refused.length > 0) this.round = this.newRound();
    this.failures = 0;
    this.exchange();
    await this.working;
    if (this.status.failure !== null) throw new Error(this.status.failure.sentence);
  }

  /** Called before a turn opens in a conversation. Never rejects: a turn runs without a server too. */
  async beforeTurn(conversationId: string): Promise<TurnStart> {
    const { clock, store, log } = this.deps;
    this.activeAt = clock.monotonicMs();
    // The first sending makes it known to others.
    if ((await store.version(conversationId)) === 0) return { kind: 'free' };
    // Also while the server could not be reached: a prompt is the best moment to try again.
    const work = this.prepare(conversationId).then(
      (start) => {
        if (this.failures > 0) this.exchange();
        return start;
      },
      (error: unknown): TurnStart => {
        log.info(`A turn begins without the server: ${this.deps.describe(error).sentence}`);
        this.noteTwin(error);
        return { kind: 'free' };
      },
    );
    return resultWithin(clock, turnTimeoutMs, work, { kind: 'free' }, this.ending.signal);
  }

  /** Compares a conversation with the server, after an exchange. Rejects with what went wrong. Null while a turn is
   *  open. */
  async account(conversationId: string): Promise<ServerAccount | null> {
    await this.exchangeNow();
    const { store, server } = this.deps;
    return serverAccount(store, server, await this.round.connected(), conversationId);
  }

  /** Takes the conversation from a machine whose lease has run out. False when that machine is back. */
  async takeOver(conversationId: string): Promise<boolean> {
    return (await this.prepare(conversationId)).kind !== 'leased';
  }

  /** Called when turns began or ended. */
  runningChanged(): void {
    const running = this.deps.running();
    for (const [conversationId, lease] of this.leases) lease.hasRun ||= running.has(conversationId);
    this.nudge();
  }

  async stop(): Promise<void> {
    this.dispose();
    await this.working;
  }

  dispose(): void {
    this.ending.abort();
    this.cancelNext();
    this.cancelRenewal();
    this.changes.dispose();
  }

  private async prepare(conversationId: string): Promise<TurnStart> {
    const { server, store, clock } = this.deps;
    const query = await fetchQuery(store, conversationId);
    const { round } = this;
    const asked = async (): Promise<LeaseAnswer> => server.lease(await this.round.connected(), conversationId, query);
    const answer = await asked().catch((error: unknown) => {
      if (syncFailureIn(error)?.kind !== 'twin') throw error;
      // It may be this store that connected since: connecting again tells.
      if (this.round === round) this.round = this.newRound();
      return asked();
    });
    if (answer.kind === 'leased') return { kind: 'leased', machine: answer.holder };
    this.leases.set(conversationId, { fence: answer.fence, grantedAt: clock.monotonicMs(), hasRun: false });
    this.deps.sharing?.begin(conversationId, answer.fence);
    const own = await store.version(conversationId);
    // After a loss of the server the same number may be another version.
    if (answer.version === own && answer.fetched?.base === own) return { kind: 'free' };
    const received = await this.round.receive(conversationId, [query, answer.fetched ?? null]);
    return { kind: typeof received === 'object' ? 'divided' : 'free' };
  }

  private newRound(): SyncRound {
    return new SyncRound({
      ...this.deps,
      fenceOf: (conversationId) => this.leases.get(conversationId)?.fence ?? null,
      leaseAgain: (conversationId) => this.leaseAgain(conversationId),
      onReceived: async (conversationId, branchId) => {
        this.activeAt = this.deps.clock.monotonicMs();
        await this.deps.onReceived(conversationId, branchId);
      },
      onRemoved: (conversationId, kept) => {
        this.removed.add(conversationId);
        this.deps.log.warn(`Sync: the server removed something of ${conversationId} without a proof (${kept}).`);
        this.deps.onRemoved?.(conversationId, kept);
      },
    });
  }

  private exchange(): void {
    if (this.ending.signal.aborted) return;
    this.cancelNext();
    if (this.working !== null) {
      this.isDue = true;
      return;
    }
    this.isDue = false;
    this.working = this.exchangeOnce().then((delayMs) => {
      this.working = null;
      this.schedule(this.isDue ? settleMs : delayMs);
    });
  }

  /** Resolves with the milliseconds until the next exchange. */
  private async exchangeOnce(): Promise<number> {
    const { clock, store, describe } = this.deps;
    try {
      const refused = await this.round.run(this.ending.signal);
      const { conversations, oldestAt, newer } = await store.status();
      await this.releaseLeases(new Set(newer));
      this.failures = 0;
      this.show({
        upTo: conversations === 0 ? clock.now() : this.status.upTo,
        waiting: conversations,
        waitingSince: oldestAt,
        removed: this.removed.size,
        refused: withNewer(
          refused.map(({ conversationId, error }) => ({ conversationId, sentence: describe(error).sentence })),
          newer,
        ),
        failure: null,
      });
      return this.round.isUnfinished ? 0 : this.pace();
    } catch (error) {
      if (this.ending.signal.aborted) return 0;
      this.noteTwin(error);
      this.round = this.newRound();
      this.failures++;
      const { sentence, isTemporary } = describe(error);
      const failure = this.failureOf(sentence);
      // Null when the store cannot be read now either.
      const left = await (async () => store.status())().catch(() => null);
      this.show({
        ...this.status,
        ...(left === null
          ? {}
          : {
              waiting: left.conversations,
              waitingSince: left.oldestAt,
              refused: withNewer(this.status.refused, left.newer),
            }),
        removed: this.removed.size,
        failure,
      });
      return isTemporary ? Math.min(longestRetryMs, firstRetryMs * 2 ** (this.failures - 1)) : longestRetryMs;
    }
  }

  private noteTwin(error: unknown): void {
    if (syncFailureIn(error)?.kind === 'twin') this.deps.onTwin?.();
  }

  private failureOf(sentence: string): { readonly sentence: string; readonly since: number } {
    if (this.status.failure?.sentence !== sentence) this.deps.log.warn(`Sync: ${sentence}`);
    return { sentence, since: this.status.failure?.since ?? this.deps.clock.now() };
  }

  private pace(): number {
    const idleMs = this.deps.clock.monotonicMs() - this.activeAt;
    return paces.find(({ untilMs }) => idleMs < untilMs)?.everyMs ?? longestRetryMs;
  }

  private schedule(delayMs: number): void {
    this.cancelNext();
    if (!this.ending.signal.aborted) this.cancelNext = this.deps.clock.after(delayMs, () => this.exchange());
  }

  /** Gives back the leases of turns that have ended and were sent. `newer`: conversations of which nothing is sent. */
  private async releaseLeases(newer: ReadonlySet<string>): Promise<void> {
    const { server, store, running, clock } = this.deps;
    const still = running();
    for (const [conversationId, { fence, grantedAt, hasRun }] of this.leases) {
      const mayOpen = !hasRun && clock.monotonicMs() - grantedAt < openingMs;
      if (still.has(conversationId) || mayOpen) continue;
      if (!newer.has(conversationId) && (await store.changed(conversationId)).length > 0) continue;
      await this.deps.sharing?.end(conversationId);
      this.leases.delete(conversationId);
      await server.release(await this.round.connected(), conversationId, fence);
    }
  }

  /** Takes back the lease of a window that was killed: what it stored could not be sent for a minute. */
  private async leaseAgain(conversationId: string): Promise<boolean> {
    const answer = await this.deps.server.lease(await this.round.connected(), conversationId);
    if (answer.kind === 'leased') return false;
    // A prompt may have asked for it meanwhile.
    const hasRun = this.leases.get(conversationId)?.hasRun ?? true;
    this.leases.set(conversationId, { fence: answer.fence, grantedAt: this.deps.clock.monotonicMs(), hasRun });
    return true;
  }

  private renewLater(): void {
    this.cancelRenewal = this.deps.clock.after(renewMs, () => {
      void this.renewLeases().finally(() => {
        if (!this.ending.signal.aborted) this.renewLater();
      });
    });
  }

  /** Forgets a lease that was lost: its turn goes on, and may become a branch. Never rejects. */
  private async renewLeases(): Promise<void> {
    const { server, log, describe } = this.deps;
    for (const [conversationId, { fence }] of this.leases)
      try {
        if (!(await server.renew(await this.round.connected(), conversationId, fence)))
          this.leases.delete(conversationId);
      } catch (error) {
        log.info(`A lease could not be renewed: ${describe(error).sentence}`);
      }
  }

  private show(status: SyncStatus): void {
    if (JSON.stringify(status) === JSON.stringify(this.status)) return;
    for (const { conversationId: id, sentence } of status.refused)
      if (!this.status.refused.some((one) => one.conversationId === id))
        this.deps.log.warn(`Sync: ${id} waits. ${sentence}`);
    this.status = status;
    this.changes.fire(status);
  }
}

function withNewer(refused: SyncStatus['refused'], newer: readonly string[]): SyncStatus['refused'] {
  const known = new Set(refused.map(({ conversationId }) => conversationId));
  const others = newer.filter((id) => !known.has(id));
  return [...refused, ...others.map((id) => ({ conversationId: id, sentence: newerSession(id).message }))];
}
