import { Emitter, type Disposable } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import type { NewOutboxEntry, OutboxEntry } from '../../../store/outbox';
import { operationIdOf } from './documentContent';
import { Erasures } from './erasures';
import { failureSentence, needsPerson, type HindsightFailure } from './failure';
import type { ServerVersion } from './hindsightApi';
import { begunName, forgetName, foundTurnEntry, hindsightName, workOf } from './outboxEntries';
import type { HindsightConnection, HindsightServices } from './ports';
import { SessionDocuments, type Delivery } from './sessionDocuments';

/** Status for the user: the number of entries waiting to be sent, and the reason. */
interface RetainStatus {
  readonly pending: number;
  readonly failure: string | null;
}

interface Waiter {
  readonly sessionId: string;
  readonly resolve: (arrived: boolean) => void;
}

const dueAtOnce = 500;
const firstPollMs = 500;
const longestPollMs = 30_000;
const firstBackoffMs = 1000;
const longestBackoffMs = 10 * 60_000;
/** Milliseconds between checks for due entries that no timer covers. */
const checkAgainMs = 60_000;
/** Milliseconds. A repeat does not help a request that was refused for its content. It is retried after this pause,
 *  by the next process, or when something changed. */
const refusedPauseMs = 6 * 60 * 60_000;

/** Sends the outbox entries, one session after another and in order, until they have arrived. One instance for all
 *  providers of a window. It needs no durable state: undelivered entries are in the outbox, and the session's record
 *  lists the turns on the server. */
export class HindsightRetainer implements Disposable {
  private readonly changes = new Emitter<void>();
  private readonly stop = new AbortController();
  private readonly openDocuments = new Map<string, string>();
  private readonly polls = new Map<string, { readonly at: number; readonly ms: number }>();
  private readonly waiters = new Set<Waiter>();
  private readonly forgotten = new Set<string>();
  /** Sessions that were opened: the process may have died before it handled a rewind of their transcript. */
  private readonly unchecked = new Set<string>();
  /** Turns that began in this process: their provider hands them over, not the search for completed turns in the
   *  store. */
  private readonly begunHere = new Set<string>();
  private readonly erasures: Erasures;
  /** Number of erased sessions that a server may still hold. */
  private toErase = 0;
  private version: { readonly place: string; readonly server: ServerVersion } | null = null;
  private shown: RetainStatus = { pending: 0, failure: null };
  private work: Promise<void> = Promise.resolve();
  private queued = false;
  private halted = false;
  private pausedUntil = 0;
  private failuresInARow = 0;
  private cancelTimer: () => void = () => undefined;
  readonly onDidChange = this.changes.event;

  constructor(readonly services: HindsightServices) {
    this.erasures = new Erasures(services);
  }

  get status(): RetainStatus {
    return this.shown;
  }

  /** True while documents of opened sessions still have to be compared with them. */
  get isChecking(): boolean {
    return this.unchecked.size > 0;
  }

  /** Continues the work that an earlier process left. */
  start(): void {
    void this.queue(async () => {
      await this.findCompletedTurns();
      await this.pass();
    });
  }

  /** Called when the user has entered or corrected a key or an address. */
  resume(): void {
    this.halted = false;
    this.pausedUntil = 0;
    this.version = null;
    this.polls.clear();
    this.kick();
  }

  /** On disk when it resolves. */
  async add(entry: NewOutboxEntry): Promise<void> {
    await this.services.store.outboxAdd(entry);
    if (entry.provider !== hindsightName) return;
    this.show({ pending: this.shown.pending + 1, failure: this.shown.failure });
    this.kick();
  }

  async begun(entry: NewOutboxEntry): Promise<void> {
    this.begunHere.add(entry.uid);
    await this.services.store.outboxAdd(entry);
  }

  /** Called when the turn was handed over, or ended in another way. */
  async settled(begunUid: string): Promise<void> {
    await this.services.store.outboxDone(begunUid);
    this.begunHere.delete(begunUid);
  }

  /** Called when the session is opened or reopened. Its documents are compared with it. On servers where writes
   *  overwrite, it gets a new document from here on. */
  begin(sessionId: string): void {
    this.openDocuments.delete(sessionId);
    this.unchecked.add(sessionId);
    this.kick();
  }

  /** Looks for work now, not at the next timer. */
  kick(): void {
    if (this.queued) return;
    this.queued = true;
    void this.queue(async () => {
      this.queued = false;
      await this.pass();
    });
  }

  /** Resolves when no entry of the session waits, when its delivery has failed, or after `withinMs` milliseconds.
   *  True when everything has arrived. */
  async delivered(sessionId: string, withinMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.shown.pending === 0) return true;
    if (this.stop.signal.aborted || signal?.aborted === true) return false;
    let cancel: () => void = () => undefined;
    const arrived = await new Promise<boolean>((resolve) => {
      this.waiters.add({ sessionId, resolve });
      cancel = this.services.clock.after(withinMs, () => resolve(false));
      signal?.addEventListener('abort', () => resolve(false), { once: true });
      this.kick();
    });
    cancel();
    return arrived;
  }

  /** Deletes the server's data of these sessions. Null when all is gone, otherwise a sentence for the user; deleting
   *  is then retried. */
  forget(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null> {
    for (const sessionId of sessionIds) this.forgotten.add(sessionId);
    return this.queue(async () => {
      const connection = await this.services.connect();
      if (connection === null) return null;
      const sentence = await this.erasures.erase(connection, sessionIds, AbortSignal.any([signal, this.stop.signal]));
      if (sentence !== null) this.kick();
      return sentence;
    });
  }

  dispose(): void {
    this.stop.abort();
    this.cancelTimer();
    for (const waiter of this.waiters) this.release(waiter, false);
    this.changes.dispose();
  }

  /** Resolves when current work has ended, for an orderly shutdown. */
  async idle(): Promise<void> {
    await this.work;
  }

  private queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.work.then(work);
    this.work = result.then(
      () => undefined,
      (error: unknown) => {
        if (!this.stop.signal.aborted)
          this.services.log.warn(
            `Memory provider hindsight: the outbox could not be worked on: ${errorMessage(error)}`,
          );
        this.wakeIn(checkAgainMs);
      },
    );
    return result;
  }

  private async findCompletedTurns(): Promise<void> {
    const { store, turns, clock } = this.services;
    for (const entry of await store.outboxDue(begunName, clock.now(), dueAtOnce)) {
      if (this.begunHere.has(entry.uid)) continue;
      const work = workOf(entry);
      const state = work.kind === 'begun' ? await turns.stateOf(work.begun.turnUid) : 'over';
      if (state === 'open') continue;
      if (work.kind === 'begun' && state === 'complete')
        await store.outboxAdd(foundTurnEntry(entry.sessionId, work.begun, clock.now()));
      await store.outboxDone(entry.uid);
    }
  }

  private async pass(): Promise<void> {
    if (this.stop.signal.aborted) return;
    const { store, clock } = this.services;
    // Later waiters may wait for an entry that is not read below.
    const asked = [...this.waiters];
    const due = await store.outboxDue(hindsightName, clock.now(), dueAtOnce);
    for (const { uid } of due.filter(({ sessionId }) => this.forgotten.has(sessionId))) await store.outboxDone(uid);
    const sessions = bySession(due.filter(({ sessionId }) => !this.forgotten.has(sessionId)));
    await this.count();
    // Entries that are not due have arrived, unless they failed and are retried later.
    for (const waiter of asked)
      if (!sessions.has(waiter.sessionId)) this.release(waiter, !this.polls.has(waiter.sessionId));
    for (const sessionId of this.unchecked) sessions.set(sessionId, sessions.get(sessionId) ?? []);
    if (sessions.size > 0 && !this.halted && clock.now() >= this.pausedUntil) await this.deliverAll(sessions, asked);
    await this.eraseDue();
    await this.count();
    if (this.shown.pending > 0 || this.unchecked.size > 0 || this.toErase > 0) this.wakeIn(this.nextCheckMs());
  }

  private async eraseDue(): Promise<void> {
    if (this.toErase === 0 || this.halted || this.services.clock.now() < this.pausedUntil) return;
    const connection = await this.services.connect();
    if (connection !== null) await this.erasures.eraseDue(connection, this.stop.signal);
  }

  private async deliverAll(
    sessions: ReadonlyMap<string, readonly OutboxEntry[]>,
    asked: readonly Waiter[],
  ): Promise<void> {
    const connection = await this.services.connect();
    if (connection === null) return;
    const server = await this.serverOf(connection);
    if (server === null) return;
    for (const [sessionId, entries] of sessions) {
      const poll = this.polls.get(sessionId);
      if (poll !== undefined && this.services.clock.now() < poll.at) continue;
      const delivery = await this.deliver(connection, server, sessionId, entries);
      if (this.stop.signal.aborted) return;
      await this.conclude(sessionId, entries, delivery, connection.place.host, asked);
      if (this.halted || this.services.clock.now() < this.pausedUntil) return;
    }
  }

  private async deliver(
    connection: HindsightConnection,
    server: ServerVersion,
    sessionId: string,
    entries: readonly OutboxEntry[],
  ): Promise<Delivery> {
    const works = entries.map((entry) => ({ entry, ...workOf(entry) }));
    for (const work of works) {
      if (work.kind !== 'note') continue;
      const metadata = { session_id: sessionId, source: 'hermes-vscode' };
      const answer = await connection.api.retain(
        { ...work.note, metadata, mode: null, operationId: operationIdOf(work.entry.uid) },
        this.stop.signal,
      );
      if (answer.kind === 'failed') return answer;
      await this.services.store.outboxDone(work.entry.uid);
    }
    const turns = works.flatMap((work) => (work.kind === 'turn' ? [work.turn] : []));
    const refresh = works.some(({ kind }) => kind === 'refresh');
    if (turns.length === 0 && !refresh && !this.unchecked.has(sessionId)) return { kind: 'done' };
    const documents = new SessionDocuments(
      this.services,
      connection,
      server,
      { sessionId, turns, refresh, openDocument: this.openDocuments.get(sessionId) ?? null },
      this.stop.signal,
    );
    const delivery = await documents.deliver();
    if (!server.appends) this.openDocuments.set(sessionId, documents.openDocument);
    return delivery;
  }

  private async conclude(
    sessionId: string,
    entries: readonly OutboxEntry[],
    delivery: Delivery,
    host: string,
    waiting: readonly Waiter[],
  ): Promise<void> {
    if (delivery.kind === 'waiting') return this.pollLater(sessionId);
    this.polls.delete(sessionId);
    if (delivery.kind === 'done') {
      for (const { uid } of entries) await this.services.store.outboxDone(uid);
      this.unchecked.delete(sessionId);
      // A full read means that more entries are due.
      if (entries.length >= dueAtOnce) this.kick();
      this.failuresInARow = 0;
      this.show({ pending: this.shown.pending, failure: null });
    } else await this.postpone(sessionId, entries, delivery.failure, host);
    for (const waiter of waiting) if (waiter.sessionId === sessionId) this.release(waiter, delivery.kind === 'done');
  }

  /** Delays the session's entries. Delays everything else too, unless the problem is theirs alone. */
  private async postpone(
    sessionId: string,
    entries: readonly OutboxEntry[],
    failure: HindsightFailure,
    host: string,
  ): Promise<void> {
    if (failure.cause === 'stopped') return;
    const attempts = Math.max(0, ...entries.map(({ attempts: count }) => count));
    const now = this.services.clock.now();
    const at = now + (failure.retryAfterMs ?? backoffMs(attempts)) / 1000;
    const sentence = failureSentence(failure, host);
    for (const { uid } of entries) await this.services.store.outboxFailed(uid, sentence, at);
    this.polls.set(sessionId, { at: failure.cause === 'refused' ? now + refusedPauseMs / 1000 : at, ms: firstPollMs });
    if (failure.cause !== 'refused' && failure.cause !== 'conflict') this.pause(failure);
    this.fail(sentence);
  }

  private async serverOf({ api, place }: HindsightConnection): Promise<ServerVersion | null> {
    const key = `${place.baseUrl} ${place.bank}`;
    if (this.version?.place === key) return this.version.server;
    const answer = await api.version(this.stop.signal);
    if (answer.kind === 'ok') {
      this.version = { place: key, server: answer.value };
      return answer.value;
    }
    if (answer.failure.cause === 'stopped') return null;
    this.pause(answer.failure);
    this.fail(failureSentence(answer.failure, place.host));
    for (const waiter of this.waiters) this.release(waiter, false);
    return null;
  }

  private pause(failure: HindsightFailure): void {
    this.halted ||= needsPerson(failure);
    // An unexpected answer may come from a server of another version.
    this.version = null;
    const pauseMs = failure.retryAfterMs ?? backoffMs(this.failuresInARow++);
    this.pausedUntil = this.services.clock.now() + pauseMs / 1000;
  }

  private pollLater(sessionId: string): void {
    const ms = Math.min((this.polls.get(sessionId)?.ms ?? firstPollMs / 2) * 2, longestPollMs);
    this.polls.set(sessionId, { at: this.services.clock.now() + ms / 1000, ms });
  }

  private nextCheckMs(): number {
    if (this.halted) return checkAgainMs;
    const now = this.services.clock.now();
    const times = [...this.polls.values()].map(({ at }) => at);
    const earliest = Math.max(Math.min(...times, now + checkAgainMs / 1000), this.pausedUntil);
    const next = this.pausedUntil > now ? Math.min(earliest, this.pausedUntil) : earliest;
    return Math.max((next - now) * 1000, 10);
  }

  private wakeIn(ms: number): void {
    this.cancelTimer();
    if (!this.stop.signal.aborted) this.cancelTimer = this.services.clock.after(ms, () => this.kick());
  }

  private release(waiter: Waiter, arrived: boolean): void {
    this.waiters.delete(waiter);
    waiter.resolve(arrived);
  }

  private async count(): Promise<void> {
    const counts = await this.services.store.outboxCounts();
    const waiting = (name: string): number => counts.find(({ provider }) => provider === name)?.waiting ?? 0;
    this.toErase = waiting(forgetName);
    const pending = waiting(hindsightName);
    this.show({ pending, failure: pending === 0 ? null : this.shown.failure });
  }

  private fail(sentence: string): void {
    if (this.shown.failure !== sentence) this.services.log.warn(`Memory provider hindsight: ${sentence}`);
    // Without waiting entries the user need not see the failure.
    this.show({ pending: this.shown.pending, failure: this.shown.pending === 0 ? null : sentence });
  }

  private show(status: RetainStatus): void {
    if (status.pending === this.shown.pending && status.failure === this.shown.failure) return;
    this.shown = status;
    this.changes.fire();
  }
}

function bySession(entries: readonly OutboxEntry[]): Map<string, readonly OutboxEntry[]> {
  const sessions = new Map<string, readonly OutboxEntry[]>();
  for (const entry of entries) sessions.set(entry.sessionId, [...(sessions.get(entry.sessionId) ?? []), entry]);
  return sessions;
}

function backoffMs(failures: number): number {
  return Math.min(firstBackoffMs * 2 ** Math.min(failures, 20), longestBackoffMs);
}
