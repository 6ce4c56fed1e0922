import type { Agent } from '../agent/agent';
import { Summarizer } from '../agent/compression/summarizer';
import { TurnStop } from '../agent/turnStop';
import { type Disposable, Emitter } from '../base/disposable';
import type { CopyToThisFolder, CopiedSessions } from '../store/sessionCopying';
import type { SessionQuery, TranscriptPage, TranscriptQuery } from '../store/sessionStore';
import type { Approval, ApprovalDecision, Mode } from '../transcript/approval';
import type { Spending } from '../transcript/cost';
import type { DraftPart, DraftSurroundings, SentPart } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { SessionSummary } from '../transcript/session';
import { Approvals } from './approvals';
import { CompressionScheduler } from './compressionScheduler';
import { AnswerContinuation } from './answerContinuation';
import { Delegations } from './delegations';
import { Efforts } from './efforts';
import {
  type BeforeAsking,
  type CompressionReport,
  type ForgetReport,
  type Gateway,
  type PromptSubmission,
  type SessionContextUse,
  type SessionSnapshot,
  type SubmitReceipt,
  type Surface,
  type SwitchOutcome,
  type SwitchTarget,
} from './gateway';
import type { GatewayDeps } from './gatewayDeps';
import { ModelChoices } from './modelChoices';
import { PromptIntake } from './promptIntake';
import { PromptQueue } from './promptQueue';
import { PromptVersionSwitching } from './promptVersionSwitching';
import { AgentPool } from './agents/agentPool';
import { SessionActions } from './sessionActions';
import { CompressionRequests } from './compressionRequests';
import { SessionDirectory } from './sessionDirectory';
import { SessionTitles } from './sessionTitles';
import { SessionSwitching } from './sessionSwitching';
import { SpendingLimit } from './spending';
import { SurfaceRegistry } from './surfaceRegistry';
import { TurnOpening } from './turnOpening';
import type { SettledRow, StartedTurn } from './runningTurn';
import { TurnRunner } from './turnRunner';
import { TurnSlots } from './turnSlots';
import { WaitingTurns } from './waitingTurns';

/** The gateway over a store and agents. Creates the gateway's services and routes each request to one of them. */
export class ConversationGateway implements Gateway {
  private readonly surfaces: SurfaceRegistry;
  private readonly agentPool: AgentPool;
  private readonly sessions: SessionDirectory;
  private readonly slots: TurnSlots;
  private readonly runner: TurnRunner;
  private readonly intake: PromptIntake;
  private readonly queue: PromptQueue;
  private readonly switching: SessionSwitching;
  private readonly actions: SessionActions;
  private readonly modelChoices: ModelChoices;
  private readonly versions: PromptVersionSwitching;
  private readonly continuation: AnswerContinuation;
  private readonly compression: CompressionRequests;
  private readonly approvals: Approvals;
  private readonly efforts: Efforts;
  private readonly spendingLimit: SpendingLimit;
  private readonly titles: SessionTitles;
  private readonly waiting: WaitingTurns;
  private readonly delegations: Delegations;
  private readonly runningChanged = new Emitter<void>();
  private readonly compressionScheduler: CompressionScheduler;

  constructor(private readonly deps: GatewayDeps) {
    const surfaces = (this.surfaces = new SurfaceRegistry(deps.log));
    const sessions = (this.sessions = new SessionDirectory(deps));
    const agentPool = (this.agentPool = new AgentPool(deps));
    const runner = (this.runner = new TurnRunner(deps, {
      show: (sessionId, event) => surfaces.notifyTurn(sessionId, event),
      changed: (sessionId) => this.changed(sessionId),
      began: (conversationId) => this.titles.turnBegan(conversationId),
      steered: (sessionId) => void this.queue.notifyQueueOf(sessionId),
      mode: (sessionId) => this.approvals.mode('', sessionId),
      setMode: (sessionId, mode) => this.approvals.setMode('', sessionId, mode),
      effort: (sessionId) => this.efforts.effort('', sessionId),
      spendingLimit: (sessionId) => this.spendingLimit.limitReached(sessionId),
      ended: (run, settled) => this.ended(run, settled),
      delegate: (...task) => this.delegations.delegate(...task),
      shortenHistory: (run, request) => this.compressionScheduler.shortenHistory(run.session, run.turn.uid, request),
    }));
    const servingAgent = (sessionId: string, model: string): Agent | null => {
      const surfaceAgent = agentPool.serving(sessionId);
      return (
        surfaceAgent?.agentFor(deps.agentSignature(model), () => deps.createAgent(model, surfaceAgent.memory)) ?? null
      );
    };
    const compressionScheduler = (this.compressionScheduler = new CompressionScheduler({
      ...deps,
      engine: deps.contextEngine ?? new Summarizer(deps),
      servingAgent,
      beforeCompression: (rows, signal, sessionId) =>
        this.agentPool.serving(sessionId)?.memory.beforeCompression(rows, signal) ?? Promise.resolve(''),
      rolledOver: (parent, child) => {
        runner.movedTo(child);
        this.switching.rolledOver(parent, child);
      },
      changed: (sessionId, activity) => surfaces.notifyAll({ kind: 'compressing', sessionId, activity }),
    }));
    const slots = (this.slots = new TurnSlots({
      sessions,
      surfaces,
      runner,
      compressionScheduler,
      opening: new TurnOpening(deps),
      agentFor: (...turn) => this.switching.agentForTurn(...turn),
      ...(deps.beforeTurn === undefined ? {} : { beforeTurn: deps.beforeTurn }),
    }));
    const delegations = (this.delegations = new Delegations({
      ...deps,
      surfaces,
      slots,
      runner,
      changed: (sessionId) => this.changed(sessionId),
    }));
    const waiting = (this.waiting = new WaitingTurns({ ...deps, surfaces, runner }));
    const bare = { ...deps, surfaces, sessions, agentPool, runner, compressionScheduler, slots, waiting };
    const switching = (this.switching = new SessionSwitching({
      ...bare,
      onDidLeaveSession: () => void runner.backfillShownText(),
    }));
    const shared = { ...bare, switching };
    const queue = (this.queue = new PromptQueue(shared));
    const versions = (this.versions = new PromptVersionSwitching(shared));
    this.continuation = new AnswerContinuation({
      ...shared,
      allowMore: (sessionId) => this.spendingLimit.allowMore(sessionId),
    });
    const sendAgain = (surfaceId: string, turnUid: string): Promise<SubmitReceipt> =>
      versions.retry(surfaceId, turnUid);
    this.compression = new CompressionRequests({ ...shared, queue });
    this.intake = new PromptIntake({ ...shared, queue, sendAgain });
    this.modelChoices = new ModelChoices(deps);
    this.actions = new SessionActions({ ...shared, modelChoices: this.modelChoices });
    this.efforts = new Efforts(shared);
    const spendingLimit = (this.spendingLimit = new SpendingLimit(deps));
    this.titles = new SessionTitles({
      ...deps,
      agentOf: (sessionId, model) => servingAgent(sessionId, model) ?? deps.createAgent(model),
      mayNotSpend: async (sessionId) => (await spendingLimit.limitReached(sessionId)) !== null,
      isRunning: (conversationId) => runner.runningIn(conversationId) !== null,
      changed: (sessionId) => this.changed(sessionId),
    });
    this.approvals = new Approvals({
      ...shared,
      askedBySubAgents: (sessionId) => delegations.pendingIn(sessionId),
      agentFor: (...turn) => switching.agentForTurn(...turn),
    });
  }

  readonly onDidChangeRunning = (listener: () => void): Disposable => this.runningChanged.event(listener);
  readonly onDidChangeSessions: Gateway['onDidChangeSessions'] = (listener) =>
    this.surfaces.onDidChangeSessions(listener);
  readonly onDidTurnEvent: Gateway['onDidTurnEvent'] = (listener) => this.surfaces.onDidTurnEvent(listener);
  readonly onDidSwitchSession: Gateway['onDidSwitchSession'] = (listener) => this.surfaces.onDidSwitchSession(listener);

  attach(surface: Surface): Disposable {
    return this.surfaces.attach(surface);
  }

  shownSession(surfaceId: string): string | null {
    return this.surfaces.shownSession(surfaceId);
  }

  switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    return this.switching.switchSession(surfaceId, target);
  }

  startsPrivate(surfaceId: string): boolean {
    return this.surfaces.shownSession(surfaceId) === null && this.surfaces.beginningAt(surfaceId).isPrivate;
  }

  async snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot> {
    const { store } = this.deps;
    const [session, page, queue, draft, draftParts, openTurn, approval, mode] = await Promise.all([
      this.sessions.get(sessionId),
      store.readTranscript({ sessionId, limit: pageSize }),
      store.queue(sessionId),
      store.draft(sessionId),
      store.draftParts(sessionId),
      store.openTurnOf(sessionId),
      this.approvals.pending(sessionId),
      this.approvals.mode('', sessionId),
    ]);
    return {
      session,
      page,
      queue,
      draft,
      draftParts,
      openTurn,
      approval,
      mode,
      activity:
        this.runner.runningIn(session.conversationId)?.activity ??
        this.compressionScheduler.activityIn(session.conversationId),
    };
  }

  readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    return this.deps.store.readTranscript(query);
  }

  listSessions(query: SessionQuery): Promise<readonly SessionSummary[]> {
    return this.deps.store.listSessions(query);
  }

  findSession(text: string): Promise<string> {
    return this.sessions.find(text);
  }

  async submit(surfaceId: string, prompt: PromptSubmission): Promise<SubmitReceipt> {
    await this.modelChoices.settled(prompt.sessionId);
    return this.intake.submit(surfaceId, prompt);
  }

  async retry(surfaceId: string, turnUid: string, before?: BeforeAsking): Promise<SubmitReceipt> {
    await this.modelChoices.settled(this.shownSession(surfaceId));
    return this.versions.retry(surfaceId, turnUid, before);
  }

  async editAndResend(
    surfaceId: string,
    turnUid: string,
    text: string,
    submissionUid: string,
    before?: BeforeAsking,
    parts?: readonly SentPart[],
  ): Promise<SubmitReceipt> {
    await this.modelChoices.settled(this.shownSession(surfaceId));
    return (
      (await this.intake.receiptOf(surfaceId, submissionUid)) ??
      this.versions.edit(surfaceId, turnUid, { uid: submissionUid, text, parts }, before)
    );
  }

  async continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    await this.modelChoices.settled(this.shownSession(surfaceId));
    return this.continuation.continueTurn(surfaceId, turnUid);
  }

  showVersion(_surfaceId: string, turnUid: string): Promise<void> {
    return this.versions.show(turnUid);
  }

  async stop(sessionId: string, turnUid?: string): Promise<void> {
    const session = await this.sessions.get(sessionId);
    const { conversationId } = session;
    const run = this.runner.runningIn(conversationId);
    if (run === null && !this.slots.isClosing)
      await this.slots.inSequence(conversationId, () => this.waiting.end(session, 'user', turnUid));
    if (turnUid !== undefined && run?.turn.uid !== turnUid) return;
    this.queue.dropTakeOvers(conversationId);
    await this.compressionScheduler.stop(conversationId);
    await this.runner.stop(conversationId, new TurnStop('user'));
  }

  async skipRecall(sessionId: string, turnUid: string): Promise<void> {
    this.runner.skipRecall((await this.sessions.get(sessionId)).conversationId, turnUid);
  }

  compress(sessionId: string, focus: string | null): Promise<CompressionReport> {
    return this.compression.compress(sessionId, focus);
  }

  compressionsEnd(): Promise<void> {
    return this.compressionScheduler.ended();
  }

  compressionPreview(sessionId: string): Promise<HandoffTokens | null> {
    return this.compression.preview(sessionId);
  }

  contextUse(sessionId: string): Promise<SessionContextUse> {
    return this.compression.contextUse(sessionId);
  }

  spending(sessionId: string | null): Promise<Spending> {
    return this.spendingLimit.spending(sessionId);
  }

  decideApproval(approvalId: string, decision: ApprovalDecision): Promise<void> {
    return this.approvals.decide(approvalId, decision);
  }

  pendingApproval(sessionId: string): Promise<Approval | null> {
    return this.approvals.pending(sessionId);
  }

  mode(surfaceId: string, sessionId: string | null): Promise<Mode> {
    return this.approvals.mode(surfaceId, sessionId);
  }

  setMode(surfaceId: string, sessionId: string | null, mode: Mode): Promise<void> {
    return this.approvals.setMode(surfaceId, sessionId, mode);
  }

  effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    return this.efforts.effort(surfaceId, sessionId);
  }

  setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    return this.efforts.setEffort(surfaceId, sessionId, effort);
  }

  async stopCall(sessionId: string, callId: string): Promise<void> {
    this.runner.stopCall((await this.sessions.get(sessionId)).conversationId, callId);
  }

  async proceedCall(sessionId: string, callId: string): Promise<void> {
    this.runner.proceedCall((await this.sessions.get(sessionId)).conversationId, callId);
  }

  editQueued(uid: string, text: string): Promise<void> {
    return this.queue.edit(uid, text);
  }

  removeQueued(uid: string): Promise<void> {
    return this.queue.remove(uid);
  }

  promoteQueued(uid: string): Promise<void> {
    return this.queue.promote(uid);
  }

  saveDraft(key: string, text: string, parts?: readonly DraftPart[], around?: DraftSurroundings): Promise<void> {
    return this.deps.store.setDraft(key, text, parts, around);
  }

  draft(key: string): Promise<string> {
    return this.deps.store.draft(key);
  }

  draftParts(key: string): Promise<readonly DraftPart[]> {
    return this.deps.store.draftParts(key);
  }

  renameSession(sessionId: string, title: string): Promise<void> {
    return this.actions.rename(sessionId, title);
  }

  setPinned(sessionId: string, on: boolean): Promise<void> {
    return this.actions.setPinned(sessionId, on);
  }

  setArchived(sessionId: string, on: boolean): Promise<void> {
    return this.actions.setArchived(sessionId, on);
  }

  trashSession(sessionId: string): Promise<void> {
    return this.actions.trash(sessionId);
  }

  restoreSession(sessionId: string): Promise<void> {
    return this.actions.restore(sessionId);
  }

  forgetSession(sessionId: string): Promise<ForgetReport> {
    return this.actions.forget(sessionId);
  }

  copyToThisFolder(input: CopyToThisFolder): Promise<CopiedSessions> {
    return this.actions.copyToThisFolder(input);
  }

  setSeen(sessionId: string): Promise<void> {
    return this.actions.setSeen(sessionId);
  }

  selectModel(sessionId: string | null, ref: string): Promise<void> {
    return this.actions.selectModel(sessionId, ref);
  }

  runningTurns(): ReturnType<Gateway['runningTurns']> {
    return this.runner.all().map(({ session, turn, activity, decisions, subAgent }) => ({
      sessionId: session.id,
      turnUid: turn.uid,
      activity,
      ...(subAgent === undefined ? { isWaiting: decisions.pending !== null } : { isWaiting: false, isSubAgent: true }),
    }));
  }

  /** Ids of the conversations in which a turn runs in this window. */
  runningConversations(): ReadonlySet<string> {
    return new Set(this.runner.all().map(({ session }) => session.conversationId));
  }

  leaveWaiting(): Promise<void> {
    return this.runner.leaveWaiting();
  }

  resumeQueues(): Promise<void> {
    return this.queue.resume();
  }

  /** Called after rows of a conversation were replaced by those of another machine. `branchId`: the branch that holds
   *  what was added here meanwhile; null when nothing was. */
  received(conversationId: string, branchId: string | null): Promise<void> {
    return this.switching.received(conversationId, branchId);
  }

  /** Called when another memory provider is chosen, registered or removed. */
  memoryChanged(): void {
    this.agentPool.memoryChanged();
  }

  async shutdown(): Promise<void> {
    this.slots.close();
    await Promise.all([this.compressionScheduler.shutdown(), this.runner.shutdown(), this.titles.shutdown()]);
    // A surface's sequence may enter a conversation's sequence, so wait for it first. A turn that was being opened is
    // closed after that.
    await this.switching.idle();
    await this.slots.drain();
    await this.runner.shutdown();
    await this.agentPool.dispose();
    this.runningChanged.dispose();
    this.surfaces.dispose();
  }

  /** Called when a turn is over and its slot is free. The queue continues only after a completed answer. After a
   *  stop or a failure the user decides. A prompt that the turn was stopped for is such a decision already. */
  private async ended(run: StartedTurn, settled: SettledRow | null): Promise<void> {
    await this.switching.noteSeen(run.session.id);
    if (settled !== null)
      await this.queue.startNextInBackground(run.session, run.surfaceId, settled.outcome === 'complete');
    if (settled !== null) this.titles.turnSettled(run, settled);
    // After the next prompt has started, so that consecutive turns run on the same agent.
    this.agentPool.settled(run.surfaceAgent);
  }

  private changed(sessionId: string): void {
    this.runningChanged.fire();
    this.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }
}
