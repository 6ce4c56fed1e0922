import type { TurnAgent } from '../agent/agent';
import { Summarizer } from '../agent/compression/summarizer';
import type { SessionStore } from '../store/session/sessionStore';
import { AgentPool } from './agents/agentPool';
import { AnswerContinuation } from './answerContinuation';
import { Approvals } from './approvals';
import { CompressionRequests } from './compressionRequests';
import { CompressionScheduler } from './compressionScheduler';
import { Delegations, decidingSession } from './delegations';
import type { SessionSnapshot } from './gateway';
import { GatewayEvents } from './gatewayEvents';
import type { GatewayServices } from './gatewayServices';
import { ModelChoices } from './modelChoices';
import { PromptIntake } from './promptIntake';
import { PromptQueue } from './promptQueue';
import { PromptVersionSwitching } from './promptVersionSwitching';
import type { SettledRow, RunningTurn } from './runningTurn';
import { SessionActions } from './sessionActions';
import { SessionDirectory } from './sessionDirectory';
import { SessionSwitching } from './sessionSwitching';
import { SessionTitles } from './sessionTitles';
import { SpendingLimit } from './spending';
import { SurfaceRegistry } from './surfaceRegistry';
import { TurnControl } from './turnControl';
import { TurnOpening } from './turnOpening';
import { TurnRunner } from './turnRunner';
import { TurnSlots } from './turnSlots';
import { WaitingTurns } from './waitingTurns';
import type { ReasoningEffort } from '../transcript/session';

/** Reasoning effort per session. */
class Efforts {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store' | 'defaultEffort'> & {
      readonly sessions: SessionDirectory;
      readonly surfaces: SurfaceRegistry;
      readonly runner: TurnRunner;
    },
  ) {}

  /** The session's own choice, or else the setting. Null means the empty state of the surface. A model that does not
   *  support this effort gets a request without one. */
  async effort(surfaceId: string, sessionId: string | null): Promise<ReasoningEffort> {
    const { store, surfaces, runner } = this.parts;
    const chosen =
      sessionId === null
        ? surfaces.beginningAt(surfaceId).effort
        : await store.sessionEffort(decidingSession(runner, sessionId));
    return chosen ?? this.parts.defaultEffort?.() ?? 'default';
  }

  /** Takes effect with the next request to the model, also within a running turn. */
  async setEffort(surfaceId: string, sessionId: string | null, effort: ReasoningEffort): Promise<void> {
    const { store, sessions, surfaces, runner } = this.parts;
    if (sessionId === null) return surfaces.chooseForBeginning(surfaceId, { effort });
    const holder = decidingSession(runner, sessionId);
    await sessions.get(holder);
    await store.setSessionEffort(holder, effort);
    const subAgents = runner.all().filter(({ subAgent }) => subAgent?.caller.session.id === holder);
    for (const changed of [holder, ...subAgents.map(({ session }) => session.id)])
      surfaces.notifyAll({ kind: 'effortChanged', sessionId: changed, effort });
  }
}

/** Custom agent per session, by its name. Null: the usual agent. */
class CustomAgents {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store' | 'defaultModel'> & {
      readonly surfaces: SurfaceRegistry;
      readonly modelChoices: ModelChoices;
    },
  ) {}

  /** Model of the session that the empty state of this surface begins, where its agent asks for one. Null: the model of
   *  new sessions. */
  modelAt(surfaceId: string): string | null {
    const { surfaces, defaultModel } = this.parts;
    const { model } = surfaces.beginningAt(surfaceId);
    return surfaces.shownSession(surfaceId) === null && model?.chosen === defaultModel() ? model.ref : null;
  }

  /** Null as the session means the empty state of the surface. */
  async chosen(surfaceId: string, sessionId: string | null): Promise<string | null> {
    const { store, surfaces } = this.parts;
    return sessionId === null
      ? surfaces.beginningAt(surfaceId).agent
      : ((await store.getSession(sessionId))?.agent ?? null);
  }

  /** Takes effect with the next turn. */
  async choose(surfaceId: string, sessionId: string | null, agent: string | null): Promise<void> {
    const { store, surfaces, modelChoices } = this.parts;
    if (sessionId !== null) {
      await store.setSessionAgent(sessionId, agent);
      surfaces.notifyAll({ kind: 'agentChanged', sessionId, agent });
    }
    await modelChoices.followAgent(surfaceId, sessionId, agent);
    if (sessionId !== null) surfaces.notifyAll({ kind: 'agentChanged', sessionId, agent });
  }
}

/** These methods of one part of a gateway. */
export type GatewayPart<P extends keyof Gateway, M extends keyof Gateway[P]> = {
  readonly [K in P]: Pick<Gateway[P], M>;
};

/** Conversations: which session may run a turn now, the cached agents, the queues, and the only `switchSession`.
 *  Creates its parts and publishes those that others use. They reject with `StoreError`, `ModelError` or
 *  `GatewayError`, each with a sentence for the user. */
export class Gateway {
  readonly store: SessionStore;
  readonly surfaces: SurfaceRegistry;
  readonly sessions: SessionDirectory;
  readonly agents: AgentPool;
  readonly switching: SessionSwitching;
  readonly intake: PromptIntake;
  readonly queue: PromptQueue;
  readonly versions: PromptVersionSwitching;
  readonly continuation: AnswerContinuation;
  readonly turns: TurnControl;
  readonly approvals: Approvals;
  readonly efforts: Efforts;
  readonly customAgents: CustomAgents;
  readonly compression: CompressionRequests;
  readonly spending: SpendingLimit;
  readonly actions: SessionActions;
  private readonly slots: TurnSlots;
  private readonly runner: TurnRunner;
  private readonly titles: SessionTitles;
  private readonly compressionScheduler: CompressionScheduler;

  constructor(services: GatewayServices) {
    const events = new GatewayEvents();
    this.store = services.store;
    const surfaces = (this.surfaces = new SurfaceRegistry(services.log));
    const sessions = (this.sessions = new SessionDirectory(services));
    const agentPool = (this.agents = new AgentPool(services));
    const spending = (this.spending = new SpendingLimit(services));
    const modelChoices = new ModelChoices({ ...services, surfaces });
    const runner = (this.runner = new TurnRunner(services, events));
    const servingAgent = (sessionId: string, model: string): TurnAgent | null => {
      const served = agentPool.serving(sessionId);
      if (served === null) return null;
      const { memory, custom } = served;
      return served.agentFor(services.agentSignature(model, custom), () => services.createAgent(model, memory, custom));
    };
    const compressionScheduler = (this.compressionScheduler = new CompressionScheduler({
      ...services,
      engine: services.contextEngine ?? new Summarizer(services),
      servingAgent,
      beforeCompression: (rows, signal, sessionId) =>
        agentPool.serving(sessionId)?.memory.beforeCompression(rows, signal) ?? Promise.resolve(''),
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
      opening: new TurnOpening(services),
      ...(services.modelOfFile === undefined ? {} : { modelOfFile: services.modelOfFile }),
      agentFor: (...turn) => this.switching.agentForTurn(...turn),
      ...(services.beforeTurn === undefined ? {} : { beforeTurn: services.beforeTurn }),
    }));
    const delegations = new Delegations({ ...services, surfaces, slots, runner, events });
    const waiting = new WaitingTurns({ ...services, surfaces, runner });
    const before = { ...services, events, surfaces, sessions, agentPool, runner, compressionScheduler, slots, waiting };
    const switching = (this.switching = new SessionSwitching(before));
    const parts = { ...before, switching, modelChoices, spending, delegations };
    const queue = (this.queue = new PromptQueue(parts));
    const versions = (this.versions = new PromptVersionSwitching(parts));
    this.continuation = new AnswerContinuation(parts);
    this.compression = new CompressionRequests({ ...parts, queue });
    this.intake = new PromptIntake({ ...parts, queue, versions });
    this.turns = new TurnControl({ ...parts, queue });
    this.actions = new SessionActions(parts);
    const efforts = (this.efforts = new Efforts(parts));
    this.customAgents = new CustomAgents(parts);
    const approvals = (this.approvals = new Approvals(parts));
    const titles = (this.titles = new SessionTitles({
      ...services,
      agentOf: (sessionId, model) => servingAgent(sessionId, model) ?? services.createAgent(model),
      mayNotSpend: async (sessionId) => (await spending.limitReached(sessionId)) !== null,
      isRunning: (conversationId) => runner.runningIn(conversationId) !== null,
      changed: (sessionId) => events.emit('sessionChanged', sessionId),
    }));
    events.on('turnEvent', (sessionId, event) => surfaces.notifyTurn(sessionId, event));
    events.on('sessionChanged', (sessionId) => this.sessionChanged(sessionId));
    events.on('turnBegan', (conversationId) => titles.turnBegan(conversationId));
    events.on('promptsSteered', (sessionId) => void queue.notifyQueueOf(sessionId));
    events.on('surfaceLeft', () => void runner.backfillShownText());
    events.on('turnEnded', async (run, settled) => {
      await this.turnEnded(run, settled);
      if (settled?.outcome === 'complete' && run.subAgent === undefined)
        services.afterTurn?.({
          surfaceId: run.surfaceId,
          sessionId: run.session.id,
          promptUid: settled.userMessageUid,
        });
    });
    events.on('shortenHistory', ({ session, turn }, request) =>
      compressionScheduler.shortenHistory(session, turn.uid, request),
    );
    events.on('mode', (sessionId) => approvals.mode('', sessionId));
    events.on('setMode', (sessionId, mode) => approvals.setMode('', sessionId, mode));
    events.on('effort', (sessionId) => efforts.effort('', sessionId));
    events.on('spendingLimit', (sessionId) => spending.limitReached(sessionId));
    events.on('delegate', (...task) => delegations.delegate(...task));
  }

  async snapshot(sessionId: string, pageSize: number): Promise<SessionSnapshot> {
    const { store } = this;
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
      queue: this.runner.withNextSteps(queue),
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

  /** Accepts nothing new, lets current work end, and settles every running turn (`windowClosed`). Turns that wait
   *  for the user keep waiting. Then resolves. */
  async shutdown(): Promise<void> {
    this.slots.close();
    await Promise.all([this.compressionScheduler.shutdown(), this.runner.shutdown(), this.titles.shutdown()]);
    // A surface's sequence may enter a conversation's sequence, so wait for it first. A turn that was being opened is
    // closed after that.
    await this.switching.idle();
    await this.slots.drain();
    await this.runner.shutdown();
    await this.agents.dispose();
    this.turns.dispose();
    this.surfaces.dispose();
  }

  /** Called when a turn is over and its slot is free. The queue continues only after a completed answer. After a
   *  stop or a failure the user decides. A prompt that the turn was stopped for is such a decision already. */
  private async turnEnded(run: RunningTurn, settled: SettledRow | null): Promise<void> {
    await this.switching.noteSeen(run.session.id);
    // Steering that came too late is an ordinary queued prompt from here on.
    if (run.steering.waiting.length > 0) await this.queue.notifyQueueOf(run.session.id);
    if (settled !== null)
      await this.queue.startNextInBackground(run.session, run.surfaceId, settled.outcome === 'complete');
    if (settled !== null) this.titles.turnSettled(run, settled);
    // After the next prompt has started, so that consecutive turns run on the same agent.
    this.agents.settled(run.surfaceAgent);
  }

  private sessionChanged(sessionId: string): void {
    this.turns.notifyChanged();
    this.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }
}
