import { Emitter, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { NewOutboxEntry, OutboxEntry } from '../../store/outbox/outbox';
import { operationIdOf } from './documentContent';
import { Erasures } from './erasures';
import { failureSentence, needsPerson, type HindsightFailure } from './failure';
import type { ServerVersion } from './hindsightApi';
import { begunName, forgetName, foundTurnEntry, hindsightName, workOf } from './outboxEntries';
import type { Connect, HindsightConnection, MemoryOutbox } from './ports';
import { SessionDocuments, type Delivery, type DocumentNeeds } from './sessionDocuments';

export interface RetainerNeeds extends DocumentNeeds {
  readonly outbox: MemoryOutbox;
  readonly connect: Connect;
  readonly log: Log;
}

/** What the person is told of: how much waits to be sent, and why it does. */
export interface RetainStatus {
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
/** How often it is looked whether something has become due that no timer knows of. */
const lookAgainMs = 60_000;
/** A request that was refused for what it says is not improved by repetition; it is tried again by the next process, or when something changed. */
const refusedPauseMs = 6 * 60 * 60_000;

/** Sends what waits in the outbox, one session after the other, in order, until it is there; one for all providers of a window. It needs no
 *  memory of its own: what is not delivered is in the outbox, what is on the server is in the session's record. */
export class HindsightRetainer implements Disposable {
  private readonly changes = new Emitter<void>();
  private readonly stop = new AbortController();
  private readonly openDocuments = new Map<string, string>();
  private readonly polls = new Map<string, { readonly at: number; readonly ms: number }>();
  private readonly waiters = new Set<Waiter>();
  private readonly forgotten = new Set<string>();
  /** Sessions that were opened: a cut in their transcript may have gone unheard when the process died. */
  private readonly unchecked = new Set<string>();
  /** Turns that began in this process: whether they are handed over is decided here, not by what is found in the store. */
  private readonly begunHere = new Set<string>();
  private readonly erasures: Erasures;
  /** Forgotten sessions that a server may still hold. */
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

  constructor(private readonly needs: RetainerNeeds) {
    this.erasures = new Erasures(needs);
  }

  get status(): RetainStatus {
    return this.shown;
  }

  /** Documents of opened sessions are still to be compared with them. */
  get isChecking(): boolean {
    return this.unchecked.size > 0;
  }

  /** Takes up what an earlier process left. */
  start(): void {
    void this.queue(async () => {
      await this.findCompletedTurns();
      await this.pass();
    });
  }

  /** Something to act on was entered or corrected: a key, an address. */
  resume(): void {
    this.halted = false;
    this.pausedUntil = 0;
    this.version = null;
    this.polls.clear();
    this.kick();
  }

  /** Durable when it resolves. */
  async add(entry: NewOutboxEntry): Promise<void> {
    await this.needs.outbox.outboxAdd(entry);
    if (entry.provider !== hindsightName) return;
    this.show({ pending: this.shown.pending + 1, failure: this.shown.failure });
    this.kick();
  }

  async begun(entry: NewOutboxEntry): Promise<void> {
    this.begunHere.add(entry.uid);
    await this.needs.outbox.outboxAdd(entry);
  }

  /** The turn was handed over, or ended in another way. */
  async settled(begunUid: string): Promise<void> {
    await this.needs.outbox.outboxDone(begunUid);
    this.begunHere.delete(begunUid);
  }

  /** The session is opened, or opened again: its documents are compared with it, and from here on it is written to a document of its own, on
   *  servers where writing overwrites. */
  begin(sessionId: string): void {
    this.openDocuments.delete(sessionId);
    this.unchecked.add(sessionId);
    this.kick();
  }

  /** Looks for work now rather than at the next timer. */
  kick(): void {
    if (this.queued) return;
    this.queued = true;
    void this.queue(async () => {
      this.queued = false;
      await this.pass();
    });
  }

  /** Resolves when nothing of the session waits, when delivering it has failed, or after `withinMs`. Whether everything has arrived. */
  async delivered(sessionId: string, withinMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.shown.pending === 0) return true;
    if (this.stop.signal.aborted || signal?.aborted === true) return false;
    let cancel: () => void = () => undefined;
    const arrived = await new Promise<boolean>((resolve) => {
      this.waiters.add({ sessionId, resolve });
      cancel = this.needs.clock.after(withinMs, () => resolve(false));
      signal?.addEventListener('abort', () => resolve(false), { once: true });
      this.kick();
    });
    cancel();
    return arrived;
  }

  /** Deletes what the server holds of these sessions. Null when all is gone, otherwise what the person should know; it is then tried again. */
  forget(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null> {
    for (const sessionId of sessionIds) this.forgotten.add(sessionId);
    return this.queue(async () => {
      const connection = await this.needs.connect();
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

  /** Resolves when what was begun has come to an end; for a shutdown in order. */
  async idle(): Promise<void> {
    await this.work;
  }

  private queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.work.then(work);
    this.work = result.then(
      () => undefined,
      (error: unknown) => {
        if (!this.stop.signal.aborted)
          this.needs.log.warn(
            `Memory provider hindsight: the outbox could not be worked on: ${error instanceof Error ? error.message : String(error)}`,
          );
        this.wakeIn(lookAgainMs);
      },
    );
    return result;
  }

  private async findCompletedTurns(): Promise<void> {
    const { outbox, turns, clock } = this.needs;
    for (const entry of await outbox.outboxDue(begunName, clock.now(), dueAtOnce)) {
      if (this.begunHere.has(entry.uid)) continue;
      const work = workOf(entry);
      const state = work.kind === 'begun' ? await turns.stateOf(work.begun.turnUid) : 'over';
      if (state === 'open') continue;
      if (work.kind === 'begun' && state === 'complete')
        await outbox.outboxAdd(foundTurnEntry(entry.sessionId, work.begun, clock.now()));
      await outbox.outboxDone(entry.uid);
    }
  }

  private async pass(): Promise<void> {
    if (this.stop.signal.aborted) return;
    const { outbox, clock } = this.needs;
    // Who asks from here on may mean an entry that is not seen below.
    const asked = [...this.waiters];
    const due = await outbox.outboxDue(hindsightName, clock.now(), dueAtOnce);
    for (const { uid } of due.filter(({ sessionId }) => this.forgotten.has(sessionId))) await outbox.outboxDone(uid);
    const sessions = bySession(due.filter(({ sessionId }) => !this.forgotten.has(sessionId)));
    await this.count();
    // What is not due has arrived, unless it failed and is tried later.
    for (const waiter of asked)
      if (!sessions.has(waiter.sessionId)) this.release(waiter, !this.polls.has(waiter.sessionId));
    for (const sessionId of this.unchecked) sessions.set(sessionId, sessions.get(sessionId) ?? []);
    if (sessions.size > 0 && !this.halted && clock.now() >= this.pausedUntil) await this.deliverAll(sessions, asked);
    await this.eraseDue();
    await this.count();
    if (this.shown.pending > 0 || this.unchecked.size > 0 || this.toErase > 0) this.wakeIn(this.nextLookMs());
  }

  private async eraseDue(): Promise<void> {
    if (this.toErase === 0 || this.halted || this.needs.clock.now() < this.pausedUntil) return;
    const connection = await this.needs.connect();
    if (connection !== null) await this.erasures.eraseDue(connection, this.stop.signal);
  }

  private async deliverAll(
    sessions: ReadonlyMap<string, readonly OutboxEntry[]>,
    asked: readonly Waiter[],
  ): Promise<void> {
    const connection = await this.needs.connect();
    if (connection === null) return;
    const server = await this.serverOf(connection);
    if (server === null) return;
    for (const [sessionId, entries] of sessions) {
      const poll = this.polls.get(sessionId);
      if (poll !== undefined && this.needs.clock.now() < poll.at) continue;
      const delivery = await this.deliver(connection, server, sessionId, entries);
      if (this.stop.signal.aborted) return;
      await this.conclude(sessionId, entries, delivery, connection.place.host, asked);
      if (this.halted || this.needs.clock.now() < this.pausedUntil) return;
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
      await this.needs.outbox.outboxDone(work.entry.uid);
    }
    const turns = works.flatMap((work) => (work.kind === 'turn' ? [work.turn] : []));
    const refresh = works.some(({ kind }) => kind === 'refresh');
    if (turns.length === 0 && !refresh && !this.unchecked.has(sessionId)) return { kind: 'done' };
    const documents = new SessionDocuments(
      this.needs,
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
      for (const { uid } of entries) await this.needs.outbox.outboxDone(uid);
      this.unchecked.delete(sessionId);
      // Where as many were due as are read at once, there are more.
      if (entries.length >= dueAtOnce) this.kick();
      this.failuresInARow = 0;
      this.show({ pending: this.shown.pending, failure: null });
    } else await this.postpone(sessionId, entries, delivery.failure, host);
    for (const waiter of waiting) if (waiter.sessionId === sessionId) this.release(waiter, delivery.kind === 'done');
  }

  /** The session's entries are tried later; unless the trouble is theirs alone, so is everything else. */
  private async postpone(
    sessionId: string,
    entries: readonly OutboxEntry[],
    failure: HindsightFailure,
    host: string,
  ): Promise<void> {
    if (failure.cause === 'stopped') return;
    const attempts = Math.max(0, ...entries.map(({ attempts: count }) => count));
    const now = this.needs.clock.now();
    const at = now + (failure.retryAfterMs ?? backoffMs(attempts)) / 1000;
    const sentence = failureSentence(failure, host);
    for (const { uid } of entries) await this.needs.outbox.outboxFailed(uid, sentence, at);
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
    // An answer that is not understood may come from a server of another version.
    this.version = null;
    const pauseMs = failure.retryAfterMs ?? backoffMs(this.failuresInARow++);
    this.pausedUntil = this.needs.clock.now() + pauseMs / 1000;
  }

  private pollLater(sessionId: string): void {
    const ms = Math.min((this.polls.get(sessionId)?.ms ?? firstPollMs / 2) * 2, longestPollMs);
    this.polls.set(sessionId, { at: this.needs.clock.now() + ms / 1000, ms });
  }

  private nextLookMs(): number {
    if (this.halted) return lookAgainMs;
    const now = this.needs.clock.now();
    const times = [...this.polls.values()].map(({ at }) => at);
    const earliest = Math.max(Math.min(...times, now + lookAgainMs / 1000), this.pausedUntil);
    const next = this.pausedUntil > now ? Math.min(earliest, this.pausedUntil) : earliest;
    return Math.max((next - now) * 1000, 10);
  }

  private wakeIn(ms: number): void {
    this.cancelTimer();
    if (!this.stop.signal.aborted) this.cancelTimer = this.needs.clock.after(ms, () => this.kick());
  }

  private release(waiter: Waiter, arrived: boolean): void {
    this.waiters.delete(waiter);
    waiter.resolve(arrived);
  }

  private async count(): Promise<void> {
    const counts = await this.needs.outbox.outboxCounts();
    const waiting = (name: string): number => counts.find(({ provider }) => provider === name)?.waiting ?? 0;
    this.toErase = waiting(forgetName);
    const pending = waiting(hindsightName);
    this.show({ pending, failure: pending === 0 ? null : this.shown.failure });
  }

  private fail(sentence: string): void {
    if (this.shown.failure !== sentence) this.needs.log.warn(`Memory provider hindsight: ${sentence}`);
    // Where nothing waits, nobody needs to be told.
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
