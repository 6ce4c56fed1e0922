import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { MemoryManager } from '../../memory/memoryManager';
import type { SwitchReason } from '../../memory/memoryProvider';
import type { Session } from '../../transcript/session';
import { SurfaceAgent } from './surfaceAgent';

/** Maximum number of surface agents kept, idle ones included, and the seconds an idle one is kept. */
const mostAgents = 16;
const idleSeconds = 3600;
/** Milliseconds that memory gets to finish its queue when the window closes, before it hands over the rest. VS Code
 *  gives a window three seconds for this and for its turns. */
const closingGraceMs = 1500;

/** Pool of agents, one per surface. If a surface switches sessions mid-turn, the busy agent stays with its turn and
 *  the surface gets a new one. The pool releases that busy agent when its turn has settled. A released agent
 *  finishes its memory work in the background. The pool never releases an agent while a turn runs on it. */
export class AgentPool {
  /** Least recently used first. */
  private readonly agents = new Map<string, { readonly agent: SurfaceAgent; readonly usedAt: number }>();
  private readonly inBackground = new Set<SurfaceAgent>();
  /** Released agents whose memory is still finishing its work. */
  private readonly leaving = new Set<SurfaceAgent>();
  /** Sessions of surfaces whose idle agent was released. These sessions have not ended: when one does, the next
   *  agent notifies memory. */
  private readonly evicted = new Map<string, { readonly sessionId: string; readonly isPrivate: boolean }>();

  constructor(
    private readonly parts: {
      readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
      readonly clock: Clock;
    },
  ) {}

  /** Returns the agent that serves `session` for this surface, switching it to that session if necessary. */
  agentFor(surfaceId: string, session: Session, reason: SwitchReason): SurfaceAgent {
    const change = { reason, parentSessionId: session.parentSessionId };
    const current = this.agents.get(surfaceId)?.agent ?? null;
    const agent =
      this.staysOrReturns(current, session) ??
      (current !== null && this.mayMove(current, session) ? current : this.fresh(session));
    if (current !== null && current !== agent) this.leave(current, reason);
    if (current === null && isNewConversation(reason)) this.notifyMissedSwitch(surfaceId, agent);
    agent.serve(session.id, change);
    this.keep(surfaceId, agent);
    return agent;
  }

  /** Returns an agent for a turn of a session that no surface shows: the agent that already serves it, or a new one
   *  that is released when the turn has settled. */
  agentInBackground(session: Session): SurfaceAgent {
    const serving = this.serving(session.id);
    if (serving !== null && !serving.hasEnded) return serving;
    const agent = this.fresh(session);
    agent.serve(session.id, { reason: 'resume', parentSessionId: session.parentSessionId });
    this.inBackground.add(agent);
    return agent;
  }

  /** Returns the agent that serves this session now, preferring the one with a running turn. Null when none does. */
  serving(sessionId: string): SurfaceAgent | null {
    const agents = this.all().filter((agent) => agent.sessionId === sessionId);
    return agents.find((agent) => agent.isBusy) ?? agents[0] ?? null;
  }

  /** Moves every agent that serves a segment to the next segment of its conversation. */
  movedOn(from: string, to: Session): void {
    for (const agent of this.all())
      if (agent.sessionId === from && !agent.hasEnded)
        agent.serve(to.id, { reason: 'compression', parentSessionId: to.parentSessionId });
    for (const [surfaceId, left] of this.evicted)
      if (left.sessionId === from) this.evicted.set(surfaceId, { ...left, sessionId: to.id });
  }

  /** Notifies every agent that serves this surface's session that the session was rewound. */
  rewound(surfaceId: string, session: Session): void {
    const own = this.agentFor(surfaceId, session, 'resume');
    for (const agent of new Set([own, ...this.servingAny([session.id]).filter(({ hasEnded }) => !hasEnded)]))
      agent.serve(session.id, { reason: 'rewind', parentSessionId: session.parentSessionId });
  }

  /** Ends the session that a surface shows. Its agent stays for the next session. */
  endAt(surfaceId: string, session: Session): void {
    this.agentFor(surfaceId, session, 'resume').endSession();
  }

  /** Called when the user leaves the shown session for a new one. Notifies memory of the end now, or as soon as the
   *  session's turns have settled. It does not wait for the first prompt of the new session, which may never come.
   *  The agent stays for the next session. */
  leaveForNew(surfaceId: string): void {
    const agent = this.agents.get(surfaceId)?.agent ?? this.replaced(surfaceId);
    if (agent?.isBusy === true) agent.endsWhenSettled = true;
    else agent?.endSession();
  }

  /** Notifies memory that these deleted sessions have ended, and releases every agent that serves them. */
  release(sessionIds: readonly string[]): void {
    const evicted = [...this.evicted].filter(([, { sessionId }]) => sessionIds.includes(sessionId));
    // Once per session, even if several surfaces showed it.
    const unnotified = new Map(evicted.map(([surfaceId, { sessionId }]) => [sessionId, surfaceId]));
    for (const agent of this.servingAny(sessionIds)) if (agent.sessionId !== null) unnotified.delete(agent.sessionId);
    for (const surfaceId of unnotified.values()) this.replaced(surfaceId);
    for (const agent of this.servingAny(sessionIds)) {
      agent.endSession();
      this.remove(agent);
    }
    this.forgetEvicted(sessionIds);
  }

  /** Has memory erase these sessions. Resolves with a sentence for everything that it could not erase. */
  async forget(sessionIds: readonly string[]): Promise<readonly string[]> {
    const serving = this.servingAny(sessionIds);
    const agents = serving.length > 0 ? serving : [new SurfaceAgent(this.parts.createMemory({ isPrivate: false }))];
    this.forgetEvicted(sessionIds);
    const sentences = await Promise.all(
      agents.map(async (agent) => {
        const answers = await agent.memory.forget(sessionIds);
        this.remove(agent);
        return answers;
      }),
    );
    return [...new Set(sentences.flat())];
  }

  /** Called when another memory provider is chosen, registered or removed. Releases idle agents, which finish their
   *  memory work. A busy agent follows when its turn has settled. */
  memoryChanged(): void {
    for (const [surfaceId, { agent }] of this.agents)
      if (!agent.isBusy && !agent.memory.isCurrent) this.empty(surfaceId, agent);
  }

  /** Called when a turn of this agent has settled and no turn of its session follows at once. */
  settled(agent: SurfaceAgent): void {
    if (agent.isBusy) return;
    if (agent.endsWhenSettled) agent.endSession();
    if (!this.inBackground.delete(agent)) return this.memoryChanged();
    this.shutDown(agent);
  }

  async dispose(): Promise<void> {
    const all = [...this.all(), ...this.leaving];
    this.agents.clear();
    this.inBackground.clear();
    const grace = pause(this.parts.clock, closingGraceMs);
    await Promise.all(all.map((agent) => agent.memory.shutdown(grace)));
  }

  /** Returns the agent that already serves the session: the surface's own, or one that stayed with its turn. */
  private staysOrReturns(current: SurfaceAgent | null, session: Session): SurfaceAgent | null {
    const serves = (agent: SurfaceAgent | null): agent is SurfaceAgent =>
      agent?.sessionId === session.id && !agent.hasEnded && (agent.isBusy || agent.memory.isCurrent);
    const returning = [current, ...this.inBackground].find(serves);
    if (returning === undefined) return null;
    this.inBackground.delete(returning);
    returning.endsWhenSettled = false;
    return returning;
  }

  /** True when the agent may switch to `session`. Memory for private sessions is kept apart from other memory. After
   *  memory was notified that a session has ended, the same agent never resumes that session. */
  private mayMove(agent: SurfaceAgent, session: Session): boolean {
    return (
      !agent.isBusy &&
      agent.memory.isCurrent &&
      agent.memory.isPrivate === session.private &&
      agent.sessionId !== session.id
    );
  }

  private fresh(session: Session): SurfaceAgent {
    return new SurfaceAgent(this.parts.createMemory({ isPrivate: session.private }));
  }

  /** Notifies memory in place of the idle agent that was released for this surface, so that memory still gets the
   *  event it would have missed (hermes-agent#99402). */
  private notifyMissedSwitch(surfaceId: string, agent: SurfaceAgent): void {
    const left = this.evicted.get(surfaceId);
    if (left === undefined || left.isPrivate !== agent.memory.isPrivate) return;
    agent.serve(left.sessionId, { reason: 'resume', parentSessionId: null });
  }

  /** Creates an agent in place of the idle one that was released, for the session it served. Null when none was
   *  released. */
  private replaced(surfaceId: string): SurfaceAgent | null {
    const left = this.evicted.get(surfaceId);
    if (left === undefined) return null;
    const agent = new SurfaceAgent(this.parts.createMemory({ isPrivate: left.isPrivate }));
    agent.serve(left.sessionId, { reason: 'resume', parentSessionId: null });
    this.keep(surfaceId, agent);
    return agent;
  }

  private keep(surfaceId: string, agent: SurfaceAgent): void {
    this.evicted.delete(surfaceId);
    this.agents.delete(surfaceId);
    this.agents.set(surfaceId, { agent, usedAt: this.parts.clock.now() });
    this.evictIdle(surfaceId);
  }

  private evictIdle(used: string): void {
    const now = this.parts.clock.now();
    for (const [surfaceId, { agent, usedAt }] of this.agents) {
      if (surfaceId === used || agent.isBusy || (this.agents.size <= mostAgents && now - usedAt < idleSeconds))
        continue;
      this.empty(surfaceId, agent);
    }
  }

  /** Releases the idle agent of this surface, although its session has not ended. */
  private empty(surfaceId: string, agent: SurfaceAgent): void {
    this.agents.delete(surfaceId);
    const { sessionId } = agent;
    if (sessionId !== null && !agent.hasEnded)
      this.evicted.set(surfaceId, { sessionId, isPrivate: agent.memory.isPrivate });
    this.shutDown(agent);
  }

  /** Called when a surface no longer needs this agent. */
  private leave(agent: SurfaceAgent, reason: SwitchReason): void {
    if (!agent.isBusy) {
      if (isNewConversation(reason)) agent.endSession();
      return this.shutDown(agent);
    }
    if (isNewConversation(reason)) agent.endsWhenSettled = true;
    this.inBackground.add(agent);
  }

  private remove(agent: SurfaceAgent): void {
    for (const [surfaceId, kept] of this.agents) if (kept.agent === agent) this.agents.delete(surfaceId);
    this.inBackground.delete(agent);
    this.shutDown(agent);
  }

  private shutDown(agent: SurfaceAgent): void {
    this.leaving.add(agent);
    void agent.memory.shutdown(null).then(() => this.leaving.delete(agent));
  }

  private all(): readonly SurfaceAgent[] {
    return [...[...this.agents.values()].map(({ agent }) => agent), ...this.inBackground];
  }

  private servingAny(sessionIds: readonly string[]): readonly SurfaceAgent[] {
    return this.all().filter(({ sessionId }) => sessionId !== null && sessionIds.includes(sessionId));
  }

  private forgetEvicted(sessionIds: readonly string[]): void {
    for (const [surfaceId, { sessionId }] of this.evicted)
      if (sessionIds.includes(sessionId)) this.evicted.delete(surfaceId);
  }
}

function isNewConversation(reason: SwitchReason): boolean {
  return reason === 'new_session' || reason === 'reset';
}
