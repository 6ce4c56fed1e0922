import type { SessionStore } from '../store/session/sessionStore';
import { AgentPool } from './agents/agentPool';
import { Approvals } from './approvals';
import { CompressionScheduler } from './compressionScheduler';
import { Delegations, decidingSession, withSubAgents } from './delegations';
import { type SessionSnapshot, GatewayError, type SubmitReceipt } from './gateway';
import type { GatewayServices } from './gatewayServices';
import { ModelChoices } from './modelChoices';
import { PromptIntake } from './promptIntake';
import { PromptQueue } from './promptQueue';
import { PromptVersionSwitching } from './promptVersionSwitching';
import { SessionActions } from './sessionActions';
import { SessionDirectory } from './sessionDirectory';
import { SessionSwitching } from './sessionSwitching';
import { SessionTitles } from './sessionTitles';
import { SurfaceRegistry } from './surfaceRegistry';
import { TurnControl } from './turnControl';
import { TurnRunner } from './turnRunner';
import { TurnSlots } from './turnSlots';
import type { ReasoningEffort, Session } from '../transcript/session';
import { t, shownLanguage } from '../base/translate';
import { earlierPrompt } from './earlierPrompt';
import { dollars, type Spending } from '../transcript/usage';
import type { Failure } from '../transcript/stopReason';

/** Cost of sessions, as the store has it, and the limit at which a turn stops and asks. */
class SpendingLimit {
  constructor(private readonly parts: Pick<GatewayServices, 'store' | 'clock' | 'spendingLimit'>) {}

  /** Cost of a session (null: none) and of today. Reads the stored rows, so call it after a turn. */
  async costs(sessionId: string | null): Promise<Spending> {
    const { store, clock } = this.parts;
    const [session, today] = await Promise.all([
      sessionId === null ? null : store.sessionSpending(sessionId),
      store.spendingSince(startOfDay(clock.now())),
    ]);
    return { session: session?.cost ?? null, today };
  }

  /** Returns the reason to stop before the next request in this session. Null: the limit is not reached. Costs that
   *  are not known do not count. */
  async limitReached(sessionId: string): Promise<Failure | null> {
    const { limit } = this;
    if (limit === 0) return null;
    const { cost, allowedUsd } = await this.parts.store.sessionSpending(sessionId);
    const ceiling = Math.max(limit, allowedUsd ?? 0);
    if (cost.usd < ceiling) return null;
    const shown = (usd: number): string => dollars(usd, shownLanguage());
    return {
      cause: 'spendingLimit',
      sentence: t(
        'This session has cost {spent} and reached your limit of {allowed}. Everything shown is saved. Continue to allow another {more}.',
        { spent: shown(cost.usd), allowed: shown(ceiling), more: shown(limit) },
      ),
      technical: `hermes.spendingLimit is ${limit}`,
    };
  }

  /** Stores that the session may cost another limit's worth. */
  async allowMore(sessionId: string): Promise<void> {
    const { limit } = this;
    if (limit === 0) return;
    const { cost } = await this.parts.store.sessionSpending(sessionId);
    await this.parts.store.allowSpending(sessionId, cost.usd + limit);
  }

  private get limit(): number {
    return this.parts.spendingLimit?.() ?? 0;
  }
}

/** Seconds since the epoch of the last local midnight. */
function startOfDay(now: number): number {
  return new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
}

/** Continues the last answer of a session where it stopped. The new turn's first row is not written by the user. */
class AnswerContinuation {
  constructor(private readonly parts: GatewayParts) {}

  /** In a turn whose first row is not a prompt from the user (`isContinuation`). Rejects when another turn follows that
   *  one or runs. */
  async continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    const { store, ids, slots, surfaces, modelChoices, spending } = this.parts;
    await modelChoices.settled(surfaces.shownSession(surfaceId));
    slots.refuseWhenClosing();
    const turn = await store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', t('This turn no longer exists, so it can’t be continued.'));
    const continued = async (session: Session): Promise<SubmitReceipt> => {
      await this.refuseUnlessLast(turnUid, session);
      if (turn.state === 'settled' && turn.stopReason === 'spendingLimit') await spending.allowMore(session.id);
      const continuation = { asked: await earlierPrompt(store, session.id, 1) };
      const opened = await slots.open(surfaceId, session, {
        prompt: { uid: ids.uid(), text: '' },
        continuation,
        reason: 'resume',
      });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    };
    return slots.whileIdle(turn.sessionId, continued, { opensTurn: true });
  }

  /** Throws `GatewayError` unless this turn's rows are last: a model can continue only the end of the messages that
   *  it gets. */
  private async refuseUnlessLast(turnUid: string, session: Session): Promise<void> {
    const rows = await this.parts.store.activeMessages(session.id);
    if (rows.at(-1)?.turnUid !== turnUid)
      throw new GatewayError('invalid', t('Only the last answer of a session can be continued.'));
  }
}

/** Reasoning effort per session. */
class Efforts {
  constructor(private readonly parts: GatewayParts) {}

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
    for (const sessionId of withSubAgents(runner, holder))
      surfaces.notifyAll({ kind: 'effortChanged', sessionId, effort });
  }
}

/** Custom agent per session, by its name. Null: the usual agent. */
class CustomAgents {
  constructor(private readonly parts: GatewayParts) {}

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

/** The services of a gateway and its parts in one. Each part reads the others when it uses them, so the order in which
 *  they are created does not matter. */
export type GatewayParts = Gateway & GatewayServices;

/** Conversations: which session may run a turn now, the cached agents, the queues, and the only `switchSession`.
 *  Creates its parts and publishes them. They reject with `StoreError`, `ModelError` or `GatewayError`, each with a
 *  sentence for the user. */
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
  readonly compression: CompressionScheduler;
  readonly spending: SpendingLimit;
  readonly actions: SessionActions;
  readonly runner: TurnRunner;
  // For the other parts.
  readonly slots: TurnSlots;
  readonly delegations: Delegations;
  readonly modelChoices: ModelChoices;
  readonly titles: SessionTitles;

  constructor(services: GatewayServices) {
    const parts: GatewayParts = Object.assign(this, services);
    this.store = services.store;
    this.surfaces = new SurfaceRegistry(services.log);
    this.sessions = new SessionDirectory(services);
    this.agents = new AgentPool(services);
    this.switching = new SessionSwitching(parts);
    this.intake = new PromptIntake(parts);
    this.queue = new PromptQueue(parts);
    this.versions = new PromptVersionSwitching(parts);
    this.continuation = new AnswerContinuation(parts);
    this.turns = new TurnControl(parts);
    this.approvals = new Approvals(parts);
    this.efforts = new Efforts(parts);
    this.customAgents = new CustomAgents(parts);
    this.compression = new CompressionScheduler(parts);
    this.spending = new SpendingLimit(services);
    this.actions = new SessionActions(parts);
    this.runner = new TurnRunner(parts);
    this.slots = new TurnSlots(parts);
    this.delegations = new Delegations(parts);
    this.modelChoices = new ModelChoices(parts);
    this.titles = new SessionTitles(parts);
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
        this.runner.runningIn(session.conversationId)?.activity ?? this.compression.activityIn(session.conversationId),
    };
  }

  /** Accepts nothing new, lets current work end, and settles every running turn (`windowClosed`). Turns that wait
   *  for the user keep waiting. Then resolves. */
  async shutdown(): Promise<void> {
    this.slots.close();
    await Promise.all([this.compression.shutdown(), this.runner.shutdown(), this.titles.shutdown()]);
    // A surface's sequence may enter a conversation's sequence, so wait for it first. A turn that was being opened is
    // closed after that.
    await this.switching.idle();
    await this.slots.drain();
    await this.runner.shutdown();
    await this.agents.dispose();
    this.turns.dispose();
    this.surfaces.dispose();
  }
}
