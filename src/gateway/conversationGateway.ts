import type { Agent } from '../agent/agent';
import { Compressor } from '../agent/compression/compressor';
import type { ContextEngine } from '../agent/compression/contextEngine';
import { TurnStop } from '../agent/turnStop';
import type { Clock } from '../base/clock';
import { type Disposable, Emitter } from '../base/disposable';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { MemoryManager } from '../memory/memoryManager';
import type { SwitchReason } from '../memory/switchReason';
import type { SessionQuery, SessionStore, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import { answerText, type Message } from '../transcript/message';
import type { HandoffTokens } from '../transcript/handoff';
import type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
import { isSteering } from '../transcript/steering';
import type { Turn } from '../transcript/turn';
import { type CompressionRequest, Compressions } from './compressions';
import { type BusyMode, type CompressionReport, type Gateway, GatewayError, type PromptSubmission, type SessionContextUse, type SessionSnapshot, type SubmitReceipt, type Surface, type SwitchOutcome, type SwitchTarget } from './gateway';
import { Seating } from './seating';
import { Sequencer } from './sequencer';
import { SessionDirectory } from './sessionDirectory';
import { SurfaceRegistry } from './surfaceRegistry';
import { TakeOvers } from './takeOvers';
import { TurnOpening } from './turnOpening';
import { type SettledRow, type StartedTurn, TurnRunner } from './turnRunner';

export interface GatewayParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Makes an agent for a model reference. Opening the model is the agent's, inside the turn: the prompt is stored first. */
  readonly createAgent: (model: string) => Agent;
  /** Changes when anything an agent is made from changes (model, endpoint, tools, settings, folders). */
  readonly agentSignature: (model: string) => string;
  readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
  /** The model of new sessions; null while none was chosen. */
  readonly defaultModel: () => string | null;
  readonly saveDefaultModel: (ref: string) => Promise<void>;
  /** Path of the open folder, kept with new sessions. */
  readonly folder: () => string | null;
  /** What becomes of a prompt sent while a turn runs; it queues where this is not said. */
  readonly busyMode?: () => BusyMode;
  /** Keeps conversations within what their model can take; the usual `Compressor` where this is not said. */
  readonly contextEngine?: ContextEngine;
}

/** How long memory may take to finish what is queued when its seat is let go. */
const memoryGraceMs = 3000;

/** The gateway over a store and agents. One running turn per conversation: a slot is taken inside the conversation's sequence before the
 *  turn's row is written, and given back after the turn has settled and was verified. */
export class ConversationGateway implements Gateway {
  private readonly surfaces: SurfaceRegistry;
  private readonly seating: Seating;
  private readonly sequencer = new Sequencer();
  private readonly sessions: SessionDirectory;
  private readonly opening: TurnOpening;
  private readonly runner: TurnRunner;
  private readonly runningChanged = new Emitter<void>();
  private readonly takeOvers = new TakeOvers();
  private readonly compressions: Compressions;
  /** Conversations that were compressed because their model refused them as too long, until an answer completes. */
  private readonly overflowed = new Set<string>();
  private closing = false;

  constructor(private readonly parts: GatewayParts) {
    this.surfaces = new SurfaceRegistry(parts.log);
    this.sessions = new SessionDirectory(parts);
    this.opening = new TurnOpening(parts);
    this.seating = new Seating(parts.createMemory, () => new Promise((resolve) => parts.clock.after(memoryGraceMs, resolve)));
    this.runner = new TurnRunner(parts, {
      show: (sessionId, event) => this.surfaces.tellTurn(sessionId, event),
      changed: (sessionId) => this.changed(sessionId),
      steered: (sessionId) => void this.tellQueueOf(sessionId),
      ended: (run, settled) => this.ended(run, settled),
    });
    this.compressions = new Compressions({
      ...parts,
      engine: parts.contextEngine ?? new Compressor(parts),
      rolledOver: (parent, child) => this.rolledOver(parent, child),
    });
  }

  readonly onDidChangeRunning = (listener: () => void): Disposable => this.runningChanged.event(listener);

  attach(surface: Surface): Disposable {
    return this.surfaces.attach(surface);
  }

  shownSession(surfaceId: string): string | null {
    return this.surfaces.shownSession(surfaceId);
  }

  async switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    switch (target.reason) {
      case 'new_session':
        // The session itself is born with its first prompt; until then the surface shows the empty state.
        this.surfaces.bind(surfaceId, null, 'new_session');
        return { sessionId: null, draft: null, notice: null };
      case 'resume': {
        const session = await this.sessions.tipOf(target.sessionId);
        this.show(surfaceId, session, 'resume');
        return { sessionId: session.id, draft: null, notice: null };
      }
      default:
        return this.notYet();
    }
  }

  async snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot> {
    const { store } = this.parts;
    const [session, page, queue, draft, openTurn] = await Promise.all([
      this.sessions.get(sessionId),
      store.readTranscript({ sessionId, limit: pageSize }),
      store.queue(sessionId),
      store.draft(sessionId),
      store.openTurnOf(sessionId),
    ]);
    return { session, page, queue, draft, openTurn, activity: this.runner.runningIn(session.conversationId)?.activity ?? null };
  }

  readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    return this.parts.store.readTranscript(query);
  }

  listSessions(query: SessionQuery): Promise<readonly SessionSummary[]> {
    return this.parts.store.listSessions(query);
  }

  readonly onDidChangeSessions = (): Disposable => this.notYet();
  readonly onDidTurnEvent = (): Disposable => this.notYet();
  startsPrivate = (): boolean => false;
  findSession = (): Promise<never> => this.notYet();
  editAndResend = (): Promise<never> => this.notYet();
  showVersion = (): Promise<never> => this.notYet();
  setPinned = (): Promise<never> => this.notYet();
  setArchived = (): Promise<never> => this.notYet();
  trashSession = (): Promise<never> => this.notYet();
  restoreSession = (): Promise<never> => this.notYet();
  forgetSession = (): Promise<never> => this.notYet();
  setSeen = (): Promise<never> => this.notYet();

  private notYet(): never {
    throw new GatewayError('invalid', 'This cannot be done yet.');
  }

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    this.refuseWhenClosing();
    if (prompt.text.trim() === '') throw new GatewayError('invalid', 'There is nothing to send. Type a prompt first.');
    const repeated = await this.repeatedSubmission(surfaceId, prompt.uid);
    if (repeated !== null) return repeated;
    const found = prompt.sessionId === null ? await this.sessions.create() : await this.sessions.tipOf(prompt.sessionId);
    return this.sequencer.run(found.conversationId, async () => {
      const session = await this.sessions.tipOf(found.id);
      if (await this.isBusy(session)) return this.submitBesideTurn(session, prompt);
      if (prompt.sessionId !== null && (await this.compressions.isDue(session))) return this.submitBehindCompression(surfaceId, session, prompt);
      const reason = prompt.sessionId === null ? 'new_session' : 'resume';
      const turn = await this.open(surfaceId, session, { uid: prompt.uid, text: prompt.text }, reason, {});
      return { kind: 'started', sessionId: session.id, turnUid: turn.uid };
    });
  }

  async retry(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    this.refuseWhenClosing();
    const turn = await this.parts.store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', 'This turn is no longer stored, so it cannot be sent again.');
    const found = await this.sessions.tipOf(turn.sessionId);
    return this.sequencer.run(found.conversationId, async () => {
      const session = await this.sessions.tipOf(found.id);
      if (await this.isBusy(session)) throw new GatewayError('busy', 'Another answer is being written in this session. Stop it first, or wait.');
      // Behind a compression the summary is the newest row; no more than a few can follow each other.
      const page = await this.parts.store.readTranscript({ sessionId: session.id, limit: 10 });
      const last = page.messages.findLast((message) => message.visibility.kind !== 'handoff');
      const prompt = await this.parts.store.getMessage(turn.userMessageUid);
      if (!endsWithTurn(last, turn, prompt)) throw new GatewayError('invalid', 'Only the last prompt of a session can be sent again.');
      if (prompt?.role !== 'user') throw new GatewayError('notFound', 'The prompt of this turn is no longer stored, so it cannot be sent again.');
      const text = [prompt, ...(await this.steeringOf(turn, session))].map(({ parts }) => answerText(parts)).join('\n\n');
      const opened = await this.open(surfaceId, session, { uid: this.parts.ids.uid(), text }, 'resume', { supersedes: turn.uid });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    });
  }

  async stop(sessionId: string, turnUid?: string): Promise<void> {
    const session = await this.sessions.get(sessionId);
    if (turnUid !== undefined && this.runner.runningIn(session.conversationId)?.turn.uid !== turnUid) return;
    // Whoever stops does not want the next prompt either: it stays queued.
    this.takeOvers.clear(session.conversationId);
    await this.compressions.stop(session.conversationId);
    await this.runner.stop(session.conversationId, new TurnStop('user'));
  }

  async compress(sessionId: string, focus: string | null): Promise<CompressionReport> {
    this.refuseWhenClosing();
    const found = await this.sessions.tipOf(sessionId);
    const waiting = (await this.parts.store.queue(found.id)).length;
    const report = await this.beginCompression(found, { focus, isForced: true });
    // What was sent while it was compressed goes on; what waited before still waits for the person.
    if (waiting === 0) void this.startNextInBackground(found, this.surfaceOf(report.sessionId), true);
    return report;
  }

  async compressionPreview(sessionId: string): Promise<HandoffTokens | null> {
    return this.compressions.preview(await this.sessions.tipOf(sessionId));
  }

  async contextUse(sessionId: string): Promise<SessionContextUse> {
    return this.compressions.contextUse(await this.sessions.tipOf(sessionId));
  }

  async editQueued(uid: string, text: string): Promise<void> {
    if (text.trim() === '') throw new GatewayError('invalid', 'A queued message cannot be empty. Remove it instead.');
    this.tellQueue(await this.parts.store.editQueued(uid, text));
  }

  async removeQueued(uid: string): Promise<void> {
    const removed = await this.parts.store.queuedPrompt(uid);
    if (removed === null) return;
    const queue = await this.parts.store.removeQueued(uid);
    this.surfaces.tellAll({ kind: 'queueChanged', sessionId: removed.sessionId, queue });
  }

  async promoteQueued(uid: string): Promise<void> {
    const queue = await this.parts.store.promoteQueued(uid);
    this.tellQueue(queue);
    const first = queue[0];
    if (first !== undefined) await this.startNext(await this.sessions.tipOf(first.sessionId), this.surfaceOf(first.sessionId), true);
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
    return this.runner.all().map(({ turn, activity }) => ({ sessionId: turn.sessionId, turnUid: turn.uid, activity }));
  }

  /** Only after a turn that completed: a queue behind a stop, a failure or a crash waits for the person. */
  async resumeQueues(): Promise<void> {
    const sessions = await this.parts.store.listSessions({ limit: 1000 });
    for (const summary of sessions.filter((candidate) => candidate.queuedCount > 0 && candidate.lastTurn?.state === 'complete')) {
      await this.startNextInBackground(summary, this.surfaceOf(summary.id), true);
    }
  }

  async shutdown(): Promise<void> {
    this.closing = true;
    await this.compressions.shutdown();
    await this.runner.shutdown();
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
    const opened = await this.opening.open({ session, model: this.sessions.modelOf(session), prompt, ...how });
    if (this.surfaces.shownSession(surfaceId) !== session.id && reason === 'new_session') this.show(surfaceId, session, reason);
    this.surfaces.tellTurn(session.id, { kind: 'turnOpened', turn: opened.turn, userMessage: opened.userMessage });
    const seat = this.seating.seatFor(surfaceId, session.id, { reason, parentSessionId: session.parentSessionId });
    this.runner.start({ surfaceId, session, turn: opened.turn, prompt: opened.userMessage, seat });
    return opened.turn;
  }

  /** A turn is over and its slot is free. What waits goes on only behind an answer that was completed: after a stop or a failure the
   *  person decides, and has done so already for a prompt that the turn was stopped for. */
  private async ended(run: StartedTurn, settled: SettledRow | null): Promise<void> {
    this.seating.settled(run.seat);
    if (settled?.outcome === 'complete') this.overflowed.delete(run.session.conversationId);
    if (settled?.failure?.cause === 'context' && (await this.goesOnShorter(run, settled))) return;
    if (settled !== null) await this.startNextInBackground(run.session, run.surfaceId, settled.outcome === 'complete');
  }

  // ── compression ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A prompt before which the history must be made shorter. It is queued first, durably, and is the next one when that is done. */
  private async submitBehindCompression(surfaceId: string, session: Session, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const createdAt = this.parts.clock.now();
    const queue = await this.parts.store.enqueue({ uid: prompt.uid, sessionId: session.id, text: prompt.text, createdAt, behind: [] });
    this.surfaces.tellAll({ kind: 'queueChanged', sessionId: session.id, queue });
    this.takeOvers.add(session.conversationId, prompt.uid);
    this.compressAhead(session, surfaceId, false);
    return { kind: 'queued', sessionId: session.id, queue };
  }

  /** Compresses, then starts the next queued prompt, also where compressing came to nothing. Called inside the conversation's sequence. */
  private compressAhead(session: Session, surfaceId: string, goesOn: boolean): void {
    void this.compressions
      .begin(session, { focus: null, isForced: false })
      .catch((error: unknown) => this.logUncompressed(session, error))
      .then(() => this.startNextInBackground(session, surfaceId, goesOn, 'asItIs'));
  }

  /** A turn failed because the model would not take the history. It is compressed, once, and the prompt is sent again where nothing had been
   *  answered yet. Returns whether that prompt is on its way. Never rejects. */
  private async goesOnShorter(run: StartedTurn, settled: SettledRow): Promise<boolean> {
    const { session, surfaceId } = run;
    if (this.overflowed.has(session.conversationId)) return false;
    this.overflowed.add(session.conversationId);
    try {
      const { sessionId } = await this.beginCompression(session, { focus: null, isForced: true });
      const rows = await this.parts.store.activeMessages(sessionId);
      if (rows.some((row) => row.turnUid === settled.uid && row.role === 'assistant' && row.visibility.kind === 'shown')) return false;
      await this.retry(surfaceId, settled.uid);
      return true;
    } catch (error) {
      this.logUncompressed(session, error);
      return false;
    }
  }

  private async beginCompression(found: Session, request: CompressionRequest): Promise<CompressionReport> {
    // In an object, so that the sequence is left when the compression has begun, not when it has ended.
    const { end } = await this.sequencer.run(found.conversationId, async () => {
      const session = await this.sessions.tipOf(found.id);
      if (await this.isBusy(session)) throw new GatewayError('busy', 'An answer is being written in this session. Stop it first, or wait.');
      return { end: this.compressions.begin(session, request) };
    });
    return end;
  }

  private logUncompressed(session: Session, error: unknown): void {
    this.parts.log.warn(`Session ${session.id} was not compressed: ${error instanceof Error ? error.message : String(error)}`);
  }

  private rolledOver(parent: Session, child: Session): void {
    for (const surfaceId of this.surfaces.allShowing(parent.id)) this.show(surfaceId, child, 'compression');
    this.surfaces.tellAll({ kind: 'sessionsChanged', sessionIds: [parent.id, child.id] });
  }

  // ── queue ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A prompt sent while a turn runs. It is queued, durably, before anything is done with it; called inside the conversation's sequence, so
   *  that the end of that turn finds what was decided here. */
  private async submitBesideTurn(session: Session, prompt: PromptSubmission): Promise<SubmitReceipt> {
    const { conversationId } = session;
    const mode = prompt.busy ?? this.parts.busyMode?.() ?? 'queue';
    const run = this.runner.runningIn(conversationId);
    const takeOvers = this.takeOvers.of(conversationId);
    const behind = { queue: null, interrupt: takeOvers, steer: [...takeOvers, ...(run?.steering.waiting ?? [])] }[mode];
    const queue = await this.parts.store.enqueue({
      uid: prompt.uid,
      sessionId: session.id,
      text: prompt.text,
      createdAt: this.parts.clock.now(),
      ...(behind === null ? {} : { behind }),
    });
    this.surfaces.tellAll({ kind: 'queueChanged', sessionId: session.id, queue });
    if (mode === 'steer') run?.steering.add(prompt.uid);
    if (mode === 'interrupt' && run !== null) {
      this.takeOvers.add(conversationId, prompt.uid);
      // Not awaited: the end of the turn waits for this sequence.
      run.controller.abort(new TurnStop('newPrompt'));
    }
    return { kind: 'queued', sessionId: session.id, queue };
  }

  /** What the person told a turn while it ran: asked again, the model is told it with the prompt. */
  private async steeringOf(turn: Turn, session: Session): Promise<readonly Message[]> {
    const rows = await this.parts.store.activeMessages(session.id);
    return rows.filter((row, index) => row.turnUid === turn.uid && isSteering(rows, index));
  }

  private async tellQueueOf(sessionId: string): Promise<void> {
    try {
      this.surfaces.tellAll({ kind: 'queueChanged', sessionId, queue: await this.parts.store.queue(sessionId) });
    } catch (error) {
      this.parts.log.warn(`The queue could not be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Starts the first queued prompt if the conversation is free; with `goesOn` false only one that a turn was stopped for. A prompt that
   *  cannot start stays where it is. */
  private startNext(session: Session, surfaceId: string, goesOn: boolean, length: 'shortEnough' | 'asItIs' = 'shortEnough'): Promise<void> {
    return this.sequencer.run(session.conversationId, async () => {
      if (this.closing || (await this.isBusy(session))) return;
      const current = await this.sessions.tipOf(session.id);
      const queue = await this.parts.store.queue(current.id);
      const isWanted = goesOn || this.takeOvers.of(session.conversationId).length > 0;
      if (length === 'shortEnough' && queue.length > 0 && isWanted && (await this.compressions.isDue(current))) return this.compressAhead(current, surfaceId, goesOn);
      const next = this.takeOvers.takeFrom(queue, session.conversationId) ?? (goesOn ? queue[0] : undefined);
      if (next === undefined) return;
      await this.open(surfaceId, current, { uid: next.uid, text: next.text }, 'resume', { queuedUid: next.uid });
      this.surfaces.tellAll({ kind: 'queueChanged', sessionId: current.id, queue: await this.parts.store.queue(current.id) });
    });
  }

  private async startNextInBackground(session: Session, surfaceId: string, goesOn: boolean, length: 'shortEnough' | 'asItIs' = 'shortEnough'): Promise<void> {
    try {
      await this.startNext(session, surfaceId, goesOn, length);
    } catch (error) {
      this.parts.log.warn(`A queued prompt could not be started and stays queued: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private tellQueue(queue: readonly QueuedPrompt[]): void {
    const sessionId = queue[0]?.sessionId;
    if (sessionId !== undefined) this.surfaces.tellAll({ kind: 'queueChanged', sessionId, queue });
  }

  // ── sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  private show(surfaceId: string, session: Session, reason: SwitchReason): void {
    this.surfaces.bind(surfaceId, session.id, reason);
    if (reason !== 'new_session') this.seating.seatFor(surfaceId, session.id, { reason, parentSessionId: session.parentSessionId });
  }

  /** Asked inside the conversation's sequence, in which turns are opened. */
  private async isBusy(session: Session): Promise<boolean> {
    const { conversationId } = session;
    return this.runner.runningIn(conversationId) !== null || this.compressions.isRunning(conversationId) || this.opening.waitsInStore(session);
  }

  private async repeatedSubmission(surfaceId: string, uid: string): Promise<SubmitReceipt | null> {
    const message = await this.parts.store.getMessage(uid);
    if (message !== null) return this.submittedBefore(surfaceId, message);
    const queued = await this.parts.store.queuedPrompt(uid);
    if (queued === null) return null;
    return { kind: 'queued', sessionId: queued.sessionId, queue: await this.parts.store.queue(queued.sessionId) };
  }

  /** The prompt is stored. It is answered, or being answered, unless its turn was opened by a write that seemed to fail: then it is sent now. */
  private async submittedBefore(surfaceId: string, { sessionId, turnUid }: Message): Promise<SubmitReceipt> {
    const started: SubmitReceipt = { kind: 'started', sessionId, turnUid: turnUid ?? '' };
    const turn = turnUid === null ? null : await this.parts.store.getTurn(turnUid);
    if (turn?.state !== 'running') return started;
    const session = await this.sessions.tipOf(sessionId);
    if (await this.sequencer.run(session.conversationId, () => this.isBusy(session))) return started;
    const receipt = await this.retry(surfaceId, turn.uid);
    if (this.surfaces.shownSession(surfaceId) === null) this.show(surfaceId, session, 'new_session');
    return receipt;
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

/** Whether the last row shown is of this turn, or the earlier prompt that a repair joined the turn's prompt to. */
function endsWithTurn(last: Message | undefined, turn: Turn, prompt: Message | null): boolean {
  if (last === undefined) return false;
  const absorbedInto = prompt?.visibility.kind === 'hidden' ? prompt.visibility.absorbedInto : null;
  return last.turnUid === turn.uid || last.uid === absorbedInto;
}
