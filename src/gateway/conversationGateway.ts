import { type Agent, savingFailure, type TurnResult } from '../agent/agent';
import { TurnStop } from '../agent/turnStop';
import type { Clock } from '../base/clock';
import { type Disposable, Emitter } from '../base/disposable';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { MemoryManager } from '../memory/memoryManager';
import type { SwitchReason } from '../memory/switchReason';
import type { SessionStore, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import { answerText, type Message } from '../transcript/message';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { AgentSeat } from './agentSeat';
import { DeliveryWitness } from './deliveryWitness';
import { type Gateway, GatewayError, type PromptSubmission, type SessionSnapshot, type SubmitReceipt, type Surface, type SwitchTarget } from './gateway';
import { Seating } from './seating';
import { Sequencer } from './sequencer';
import { SurfaceRegistry } from './surfaceRegistry';

export interface GatewayParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Makes an agent for a model reference. Opening the model is the agent's, inside the turn: the prompt is stored first. */
  readonly createAgent: (model: string) => Agent;
  /** Changes when anything an agent is made from changes (model, endpoint, tools, settings, folders). */
  readonly agentSignature: (model: string) => string;
  readonly createMemory: () => MemoryManager;
  /** The model of new sessions; null while none was chosen. */
  readonly defaultModel: () => string | null;
  readonly saveDefaultModel: (ref: string) => Promise<void>;
  /** Path of the open folder, kept with new sessions. */
  readonly folder: () => string | null;
}

interface RunningTurn {
  readonly turn: Turn & { readonly state: 'running' };
  readonly conversationId: string;
  readonly controller: AbortController;
  readonly seat: AgentSeat;
  readonly surfaceId: string;
  activity: TurnActivity | null;
  settled: Promise<void>;
}

/** How long memory may take to finish what is queued when its seat is let go. */
const memoryGraceMs = 3000;
/** Pauses between attempts to close a turn that the store would not take; the last one repeats. */
const settleAgainMs = [1000, 2000, 5000, 10_000, 30_000];

/** The gateway over a store and agents. One running turn per conversation: a slot is taken inside the conversation's sequence before the
 *  turn's row is written, and given back after the turn has settled and was verified. */
export class ConversationGateway implements Gateway {
  private readonly surfaces: SurfaceRegistry;
  private readonly seating: Seating;
  private readonly sequencer = new Sequencer();
  private readonly running = new Map<string, RunningTurn>();
  private readonly runningChanged = new Emitter<void>();
  private closing = false;
  private backfills = 0;

  constructor(private readonly parts: GatewayParts) {
    this.surfaces = new SurfaceRegistry(parts.log);
    this.seating = new Seating(parts.createMemory, () => new Promise((resolve) => parts.clock.after(memoryGraceMs, resolve)));
  }

  readonly onDidChangeRunning = (listener: () => void): Disposable => this.runningChanged.event(listener);

  attach(surface: Surface): Disposable {
    return this.surfaces.attach(surface);
  }

  shownSession(surfaceId: string): string | null {
    return this.surfaces.shownSession(surfaceId);
  }

  async switchSession(surfaceId: string, target: SwitchTarget): Promise<string | null> {
    switch (target.reason) {
      case 'new_session':
        // The session itself is born with its first prompt; until then the surface shows the empty state.
        this.surfaces.bind(surfaceId, null, 'new_session');
        return null;
      case 'resume': {
        const session = await this.tipOf(target.sessionId);
        this.show(surfaceId, session, 'resume');
        return session.id;
      }
      default:
        return target satisfies never;
    }
  }

  async snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot> {
    const { store } = this.parts;
    const [session, page, queue, draft, openTurn] = await Promise.all([
      this.session(sessionId),
      store.readTranscript({ sessionId, limit: pageSize }),
      store.queue(sessionId),
      store.draft(sessionId),
      store.openTurnOf(sessionId),
    ]);
    return { session, page, queue, draft, openTurn, activity: this.running.get(session.conversationId)?.activity ?? null };
  }

  readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    return this.parts.store.readTranscript(query);
  }

  listSessions(limit: number, text?: string): Promise<readonly SessionSummary[]> {
    return this.parts.store.listSessions(text === undefined ? { limit } : { limit, text });
  }

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    this.refuseWhenClosing();
    if (prompt.text.trim() === '') throw new GatewayError('invalid', 'There is nothing to send. Type a prompt first.');
    const repeated = await this.repeatedSubmission(prompt.uid);
    if (repeated !== null) return repeated;
    const session = prompt.sessionId === null ? await this.createSession() : await this.tipOf(prompt.sessionId);
    return this.sequencer.run(session.conversationId, async () => {
      if (await this.isBusy(session)) {
        const queue = await this.parts.store.enqueue({ uid: prompt.uid, sessionId: session.id, text: prompt.text, createdAt: this.parts.clock.now() });
        this.surfaces.tellAll({ kind: 'queueChanged', sessionId: session.id, queue });
        return { kind: 'queued', sessionId: session.id, queue };
      }
      const reason = prompt.sessionId === null ? 'new_session' : 'resume';
      const turn = await this.open(surfaceId, session, { uid: prompt.uid, text: prompt.text }, reason, {});
      return { kind: 'started', sessionId: session.id, turnUid: turn.uid };
    });
  }

  async retry(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    this.refuseWhenClosing();
    const turn = await this.parts.store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', 'This turn is no longer stored, so it cannot be sent again.');
    const session = await this.tipOf(turn.sessionId);
    return this.sequencer.run(session.conversationId, async () => {
      if (await this.isBusy(session)) throw new GatewayError('busy', 'Another answer is being written in this session. Stop it first, or wait.');
      const page = await this.parts.store.readTranscript({ sessionId: session.id, limit: 1 });
      if (page.messages.at(-1)?.turnUid !== turn.uid) throw new GatewayError('invalid', 'Only the last prompt of a session can be sent again.');
      const prompt = await this.parts.store.getMessage(turn.userMessageUid);
      if (prompt?.role !== 'user') throw new GatewayError('notFound', 'The prompt of this turn is no longer stored, so it cannot be sent again.');
      const text = answerText(prompt.parts);
      const opened = await this.open(surfaceId, session, { uid: this.parts.ids.uid(), text }, 'resume', { supersedes: turn.uid });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    });
  }

  async stop(sessionId: string): Promise<void> {
    const session = await this.session(sessionId);
    const running = this.running.get(session.conversationId);
    running?.controller.abort(new TurnStop('user'));
    await running?.settled;
  }

  async editQueued(uid: string, text: string): Promise<void> {
    if (text.trim() === '') throw new GatewayError('invalid', 'A queued message cannot be empty. Remove it instead.');
    this.tellQueue(await this.parts.store.editQueued(uid, text));
  }

  async removeQueued(uid: string): Promise<void> {
    const before = await this.queueHolding(uid);
    const queue = await this.parts.store.removeQueued(uid);
    if (before !== null) this.surfaces.tellAll({ kind: 'queueChanged', sessionId: before, queue });
  }

  async promoteQueued(uid: string): Promise<void> {
    const queue = await this.parts.store.promoteQueued(uid);
    this.tellQueue(queue);
    const first = queue[0];
    if (first !== undefined) await this.startNext(await this.tipOf(first.sessionId), this.surfaceOf(first.sessionId));
  }

  saveDraft(key: string, text: string): Promise<void> {
    return this.parts.store.setDraft(key, text);
  }

  draft(key: string): Promise<string> {
    return this.parts.store.draft(key);
  }

  async renameSession(sessionId: string, title: string): Promise<void> {
    await this.parts.store.setTitle(sessionId, title, 'person');
    this.surfaces.tellAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }

  async selectModel(sessionId: string | null, ref: string): Promise<void> {
    if (sessionId !== null) await this.parts.store.setSessionModel(sessionId, ref);
    await this.parts.saveDefaultModel(ref);
    this.surfaces.tellAll({ kind: 'sessionsChanged', sessionIds: sessionId === null ? [] : [sessionId] });
  }

  runningTurns() {
    return [...this.running.values()].map(({ turn, activity }) => ({ sessionId: turn.sessionId, turnUid: turn.uid, activity }));
  }

  /** Only after a turn that completed: a queue behind a stop, a failure or a crash waits for the person. */
  async resumeQueues(): Promise<void> {
    const sessions = await this.parts.store.listSessions({ limit: 1000 });
    for (const summary of sessions.filter((candidate) => candidate.queuedCount > 0 && candidate.lastTurn?.state === 'complete')) {
      await this.startNext(summary, this.surfaceOf(summary.id));
    }
  }

  async shutdown(): Promise<void> {
    this.closing = true;
    const turns = [...this.running.values()];
    for (const { controller } of turns) controller.abort(new TurnStop('windowClosed'));
    await Promise.all(turns.map(({ settled }) => settled));
    await this.seating.dispose();
    this.runningChanged.dispose();
  }

  // ── one turn ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Opens the turn (durable) and lets it run. Called inside the conversation's sequence, with its slot free. */
  private async open(
    surfaceId: string,
    session: Session,
    prompt: { readonly uid: string; readonly text: string },
    reason: SwitchReason,
    how: { readonly queuedUid?: string; readonly supersedes?: string },
  ): Promise<Turn> {
    const model = session.model ?? this.parts.defaultModel();
    if (model === null) throw new GatewayError('noModel', 'No model is chosen yet. Your prompt is kept: choose a model, then send it.');
    const now = this.parts.clock.now();
    const opened = await this.parts.store.openTurn({
      turnUid: this.parts.ids.uid(),
      sessionId: session.id,
      userMessage: {
        uid: prompt.uid,
        sessionId: session.id,
        turnUid: null,
        createdAt: now,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'user',
        parts: [{ kind: 'text', text: prompt.text.toWellFormed() }],
      },
      model,
      startedAt: now,
      ...how,
    });
    if (opened.turn.state !== 'running') throw new GatewayError('busy', 'This prompt was already answered.');
    if (this.surfaces.shownSession(surfaceId) !== session.id && reason === 'new_session') this.show(surfaceId, session, reason);
    this.surfaces.tellTurn(session.id, { kind: 'turnOpened', turn: opened.turn, userMessage: opened.userMessage });
    this.run(surfaceId, session, opened.turn, opened.userMessage, reason);
    return opened.turn;
  }

  private run(surfaceId: string, session: Session, turn: Turn & { readonly state: 'running' }, prompt: Message, reason: SwitchReason): void {
    const seat = this.seating.seatFor(surfaceId, session.id, { reason, parentSessionId: session.parentSessionId });
    seat.turnBegan();
    const running: RunningTurn = {
      turn,
      conversationId: session.conversationId,
      controller: new AbortController(),
      seat,
      surfaceId,
      activity: null,
      settled: Promise.resolve(),
    };
    this.running.set(session.conversationId, running);
    running.settled = this.runToEnd(running, session, prompt);
    this.changed(session.id);
  }

  private async runToEnd(running: RunningTurn, session: Session, prompt: Message): Promise<void> {
    const { turn, seat, controller } = running;
    const witness = new DeliveryWitness();
    let stored: readonly Message[] = [];
    const show = (event: TurnEvent): void => {
      witness.observe(event);
      if (event.kind === 'activity') running.activity = event.activity;
      if (event.kind === 'turnSettled') stored = event.messages;
      this.surfaces.tellTurn(session.id, event);
    };
    const agent = seat.agentFor(this.parts.agentSignature(turn.model), () => this.parts.createAgent(turn.model));
    const result = await agent.runTurn({ turn, conversationId: session.conversationId, show, controller });
    const settled = result.kind === 'settled' ? result.turn : await this.settleAtLast(result, running, show);
    if (settled !== null) {
      await this.verify(witness, stored, turn);
      if (settled.outcome === 'complete') this.remember(seat, session.id, prompt, stored);
    }
    seat.turnEnded();
    this.running.delete(session.conversationId);
    this.seating.settled(seat);
    this.changed(session.id);
    if (settled?.outcome === 'complete' && !this.closing) await this.startNext(session, running.surfaceId);
  }

  /** The store would not take the turn's end. The person is told at once; closing it is tried until it succeeds, because the slot must not
   *  be given to another prompt before. Null when the window closes first: then the next start settles the turn as cut off. */
  private async settleAtLast(
    result: TurnResult & { readonly kind: 'unsettled' },
    running: RunningTurn,
    show: (event: TurnEvent) => void,
  ): Promise<(Turn & { readonly state: 'settled' }) | null> {
    let failure = savingFailure(result.error);
    for (let attempt = 0; !this.closing; attempt++) {
      this.parts.log.error(`A turn could not be closed in the store (${failure.cause}): ${failure.technical}`);
      const told = { ...running.turn, state: 'settled' as const, settledAt: this.parts.clock.now(), outcome: 'failed' as const, stopReason: 'storeFailed' as const, failure };
      if (attempt === 0) show({ kind: 'turnSettled', turn: told, messages: [] });
      await new Promise<void>((resolve) => this.parts.clock.after(settleAgainMs[attempt] ?? 30_000, resolve));
      try {
        return await result.settle();
      } catch (error) {
        failure = savingFailure(error);
      }
    }
    return null;
  }

  /** Delivered means stored, checked after every turn; a text that is missing is written, and the log says so. */
  private async verify(witness: DeliveryWitness, stored: readonly Message[], turn: Turn): Promise<void> {
    const missing = witness.missingFrom(stored);
    if (missing.length === 0) return;
    for (const { messageUid, part, shown, stored: found } of missing) {
      this.backfills++;
      this.parts.log.info(
        `Backfill ${this.backfills}: turn ${turn.uid}, message ${messageUid}, part ${part}: ${shown.length} characters were shown, ${found?.length ?? 0} were stored.`,
      );
    }
    const rows = [...new Set(missing.map(({ messageUid }) => messageUid))].flatMap((uid) => {
      const row = stored.find((message) => message.uid === uid);
      if (row !== undefined && row.role !== 'assistant') return [];
      const parts = [...(row?.parts ?? [])];
      for (const { part, shown } of missing.filter((entry) => entry.messageUid === uid)) parts[part] = { kind: 'text', text: shown };
      const base = row ?? this.emptyAnswer(uid, turn);
      return [{ ...base, parts: parts.filter((entry) => entry !== undefined) }];
    });
    try {
      await this.parts.store.putMessages(rows);
    } catch (error) {
      this.parts.log.error('What was shown could not be written afterwards.', error);
    }
  }

  private emptyAnswer(uid: string, turn: Turn) {
    return {
      uid,
      sessionId: turn.sessionId,
      turnUid: turn.uid,
      createdAt: this.parts.clock.now(),
      visibility: { kind: 'shown' as const },
      carriedFrom: null,
      role: 'assistant' as const,
      parts: [],
      state: 'final' as const,
      lastSeq: 0,
      model: turn.model,
      finishReason: null,
      usage: null,
    };
  }

  private remember(seat: AgentSeat, sessionId: string, prompt: Message, stored: readonly Message[]): void {
    const answer = stored.filter((message) => message.role === 'assistant' && message.visibility.kind === 'shown').map((message) => answerText(message.parts));
    seat.memory.syncTurn({ sessionId, prompt: answerText(prompt.parts), answer: answer.filter((text) => text !== '').join('\n\n') });
  }

  // ── queue ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Starts the first queued prompt if the conversation is free. A prompt that cannot start stays where it is. */
  private async startNext(session: Session, surfaceId: string): Promise<void> {
    await this.sequencer.run(session.conversationId, async () => {
      try {
        if (this.closing || (await this.isBusy(session))) return;
        const current = await this.tipOf(session.id);
        const [next] = await this.parts.store.queue(current.id);
        if (next === undefined) return;
        await this.open(surfaceId, current, { uid: next.uid, text: next.text }, 'resume', { queuedUid: next.uid });
        this.surfaces.tellAll({ kind: 'queueChanged', sessionId: current.id, queue: await this.parts.store.queue(current.id) });
      } catch (error) {
        this.parts.log.warn(`A queued prompt could not be started and stays queued: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  }

  private tellQueue(queue: readonly QueuedPrompt[]): void {
    const sessionId = queue[0]?.sessionId;
    if (sessionId !== undefined) this.surfaces.tellAll({ kind: 'queueChanged', sessionId, queue });
  }

  private async queueHolding(uid: string): Promise<string | null> {
    return (await this.parts.store.queuedPrompt(uid))?.sessionId ?? null;
  }

  // ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private async createSession(): Promise<Session> {
    const model = this.parts.defaultModel();
    if (model === null) throw new GatewayError('noModel', 'No model is chosen yet. Your prompt is kept: choose a model, then send it.');
    const startedAt = this.parts.clock.now();
    return this.parts.store.createSession({ id: this.parts.ids.sessionId(startedAt), startedAt, model, folder: this.parts.folder() });
  }

  private async session(sessionId: string): Promise<Session> {
    const session = await this.parts.store.getSession(sessionId);
    if (session === null) throw new GatewayError('notFound', 'This session is no longer stored. Open another one from the list.');
    return session;
  }

  private async tipOf(sessionId: string): Promise<Session> {
    await this.session(sessionId);
    return this.session(await this.parts.store.conversationTip(sessionId));
  }

  private show(surfaceId: string, session: Session, reason: SwitchReason): void {
    this.surfaces.bind(surfaceId, session.id, reason);
    if (reason === 'resume') this.seating.seatFor(surfaceId, session.id, { reason, parentSessionId: session.parentSessionId });
  }

  private async isBusy(session: Session): Promise<boolean> {
    return this.running.has(session.conversationId) || (await this.parts.store.openTurnOf(session.id)) !== null;
  }

  private async repeatedSubmission(uid: string): Promise<SubmitReceipt | null> {
    const message = await this.parts.store.getMessage(uid);
    if (message !== null) return { kind: 'started', sessionId: message.sessionId, turnUid: message.turnUid ?? '' };
    const queued = await this.parts.store.queuedPrompt(uid);
    if (queued === null) return null;
    return { kind: 'queued', sessionId: queued.sessionId, queue: await this.parts.store.queue(queued.sessionId) };
  }

  private surfaceOf(sessionId: string): string {
    return this.surfaces.showing(sessionId) ?? `background:${sessionId}`;
  }

  private refuseWhenClosing(): void {
    if (this.closing) throw new GatewayError('closing', 'This window is closing. Your prompt is kept.');
  }

  private changed(sessionId: string): void {
    this.runningChanged.fire();
    this.surfaces.tellAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }
}
