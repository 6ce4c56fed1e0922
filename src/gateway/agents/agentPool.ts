import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { MemoryManager } from '../../memory/memoryManager';
import type { SwitchReason } from '../../memory/memoryProvider';
import type { Session } from '../../transcript/session';
import { SurfaceAgent } from './surfaceAgent';

interface AgentPoolParts {
  readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
  readonly clock: Clock;
}

/** Maximum number of surface agents kept, idle ones included, and the seconds an idle one is kept. */
const mostSeats = 16;
const idleSeconds = 3600;
/** Milliseconds that memory gets to finish its queue when the window closes, before it hands over the rest. VS Code
 *  gives a window three seconds for this and for its turns. */
const closingGraceMs = 1500;

/** Pool of agents, one per surface. If a surface switches sessions mid-turn, the busy agent stays with its turn and
 *  the surface gets a new one. The pool releases that busy agent when its turn has settled. A released agent
 *  finishes its memory work in the background. The pool never releases an agent while a turn runs on it. */
export class AgentPool {
  /** Least recently used first. */
  private readonly seats = new Map<string, { readonly seat: SurfaceAgent; readonly usedAt: number }>();
  private readonly leftBehind = new Set<SurfaceAgent>();
  /** Released agents whose memory is still finishing its work. */
  private readonly leaving = new Set<SurfaceAgent>();
  /** Sessions of surfaces whose idle agent was released. These sessions have not ended: when one does, the next
   *  agent notifies memory. */
  private readonly vacated = new Map<string, { readonly sessionId: string; readonly isPrivate: boolean }>();

  constructor(private readonly parts: AgentPoolParts) {}

  /** Returns the agent that serves `session` for this surface, switching it to that session if necessary. */
  seatFor(surfaceId: string, session: Session, reason: SwitchReason): SurfaceAgent {
    const change = { reason, parentSessionId: session.parentSessionId };
    const current = this.seats.get(surfaceId)?.seat ?? null;
    const seat =
      this.staysOrReturns(current, session) ??
      (current !== null && this.mayMove(current, session) ? current : this.fresh(session));
    if (current !== null && current !== seat) this.leave(current, reason);
    if (current === null && isNewConversation(reason)) this.makeUpFor(surfaceId, seat);
    seat.serve(session.id, change);
    this.keep(surfaceId, seat);
    return seat;
  }

  /** Returns an agent for a turn of a session that no surface shows: the agent that already serves it, or a new one
   *  that is released when the turn has settled. */
  seatBehind(session: Session): SurfaceAgent {
    const serving = this.serving(session.id);
    if (serving !== null && !serving.hasEnded) return serving;
    const seat = this.fresh(session);
    seat.serve(session.id, { reason: 'resume', parentSessionId: session.parentSessionId });
    this.leftBehind.add(seat);
    return seat;
  }

  /** Returns the agent that serves this session now, preferring the one with a running turn. Null when none does. */
  serving(sessionId: string): SurfaceAgent | null {
    const seats = this.all().filter((seat) => seat.sessionId === sessionId);
    return seats.find((seat) => seat.isBusy) ?? seats[0] ?? null;
  }

  /** Moves every agent that serves a segment to the next segment of its conversation. */
  movedOn(from: string, to: Session): void {
    for (const seat of this.all())
      if (seat.sessionId === from && !seat.hasEnded)
        seat.serve(to.id, { reason: 'compression', parentSessionId: to.parentSessionId });
    for (const [surfaceId, left] of this.vacated)
      if (left.sessionId === from) this.vacated.set(surfaceId, { ...left, sessionId: to.id });
  }

  /** Notifies every agent that serves this surface's session that the session was rewound. */
  rewound(surfaceId: string, session: Session): void {
    const own = this.seatFor(surfaceId, session, 'resume');
    for (const seat of new Set([own, ...this.servingAny([session.id]).filter(({ hasEnded }) => !hasEnded)]))
      seat.serve(session.id, { reason: 'rewind', parentSessionId: session.parentSessionId });
  }

  /** Ends the session that a surface shows. Its agent stays for the next session. */
  endAt(surfaceId: string, session: Session): void {
    this.seatFor(surfaceId, session, 'resume').endSession();
  }

  /** Called when the user leaves the shown session for a new one. Notifies memory of the end now, or as soon as the
   *  session's turns have settled. It does not wait for the first prompt of the new session, which may never come.
   *  The agent stays for the next session. */
  leaveForNew(surfaceId: string): void {
    const seat = this.seats.get(surfaceId)?.seat ?? this.reseated(surfaceId);
    if (seat?.isBusy === true) seat.endsWhenSettled = true;
    else seat?.endSession();
  }

  /** Notifies memory that these deleted sessions have ended, and releases every agent that serves them. */
  vacate(sessionIds: readonly string[]): void {
    const vacated = [...this.vacated].filter(([, { sessionId }]) => sessionIds.includes(sessionId));
    // Once per session, even if several surfaces showed it.
    const unheard = new Map(vacated.map(([surfaceId, { sessionId }]) => [sessionId, surfaceId]));
    for (const seat of this.servingAny(sessionIds)) if (seat.sessionId !== null) unheard.delete(seat.sessionId);
    for (const surfaceId of unheard.values()) this.reseated(surfaceId);
    for (const seat of this.servingAny(sessionIds)) {
      seat.endSession();
      this.remove(seat);
    }
    this.forgetVacated(sessionIds);
  }

  /** Has memory erase these sessions. Resolves with a sentence for everything that it could not erase. */
  async forget(sessionIds: readonly string[]): Promise<readonly string[]> {
    const serving = this.servingAny(sessionIds);
    const seats = serving.length > 0 ? serving : [new SurfaceAgent(this.parts.createMemory({ isPrivate: false }))];
    this.forgetVacated(sessionIds);
    const sentences = await Promise.all(
      seats.map(async (seat) => {
        const answers = await seat.memory.forget(sessionIds);
        this.remove(seat);
        return answers;
      }),
    );
    return [...new Set(sentences.flat())];
  }

  /** Called when another memory provider is chosen, registered or removed. Releases idle agents, which finish their
   *  memory work. A busy agent follows when its turn has settled. */
  memoryChanged(): void {
    for (const [surfaceId, { seat }] of this.seats)
      if (!seat.isBusy && !seat.memory.isCurrent) this.empty(surfaceId, seat);
  }

  /** Called when a turn of this agent has settled and no turn of its session follows at once. */
  settled(seat: SurfaceAgent): void {
    if (seat.isBusy) return;
    if (seat.endsWhenSettled) seat.endSession();
    if (!this.leftBehind.delete(seat)) return this.memoryChanged();
    this.letGo(seat);
  }

  async dispose(): Promise<void> {
    const all = [...this.all(), ...this.leaving];
    this.seats.clear();
    this.leftBehind.clear();
    const grace = pause(this.parts.clock, closingGraceMs);
    await Promise.all(all.map((seat) => seat.memory.shutdown(grace)));
  }

  /** Returns the agent that already serves the session: the surface's own, or one that stayed with its turn. */
  private staysOrReturns(current: SurfaceAgent | null, session: Session): SurfaceAgent | null {
    const serves = (seat: SurfaceAgent | null): seat is SurfaceAgent =>
      seat?.sessionId === session.id && !seat.hasEnded && (seat.isBusy || seat.memory.isCurrent);
    const returning = [current, ...this.leftBehind].find(serves);
    if (returning === undefined) return null;
    this.leftBehind.delete(returning);
    returning.endsWhenSettled = false;
    return returning;
  }

  /** True when the agent may switch to `session`. Memory for private sessions is kept apart from other memory. After
   *  memory was notified that a session has ended, the same agent never resumes that session. */
  private mayMove(seat: SurfaceAgent, session: Session): boolean {
    return (
      !seat.isBusy &&
      seat.memory.isCurrent &&
      seat.memory.isPrivate === session.private &&
      seat.sessionId !== session.id
    );
  }

  private fresh(session: Session): SurfaceAgent {
    return new SurfaceAgent(this.parts.createMemory({ isPrivate: session.private }));
  }

  /** Notifies memory in place of the idle agent that was released for this surface, so that memory still gets the
   *  event it would have missed (hermes-agent#99402). */
  private makeUpFor(surfaceId: string, seat: SurfaceAgent): void {
    const left = this.vacated.get(surfaceId);
    if (left === undefined || left.isPrivate !== seat.memory.isPrivate) return;
    seat.serve(left.sessionId, { reason: 'resume', parentSessionId: null });
  }

  /** Creates an agent in place of the idle one that was released, for the session it served. Null when none was
   *  released. */
  private reseated(surfaceId: string): SurfaceAgent | null {
    const left = this.vacated.get(surfaceId);
    if (left === undefined) return null;
    const seat = new SurfaceAgent(this.parts.createMemory({ isPrivate: left.isPrivate }));
    seat.serve(left.sessionId, { reason: 'resume', parentSessionId: null });
    this.keep(surfaceId, seat);
    return seat;
  }

  private keep(surfaceId: string, seat: SurfaceAgent): void {
    this.vacated.delete(surfaceId);
    this.seats.delete(surfaceId);
    this.seats.set(surfaceId, { seat, usedAt: this.parts.clock.now() });
    this.letIdleGo(surfaceId);
  }

  private letIdleGo(used: string): void {
    const now = this.parts.clock.now();
    for (const [surfaceId, { seat, usedAt }] of this.seats) {
      if (surfaceId === used || seat.isBusy || (this.seats.size <= mostSeats && now - usedAt < idleSeconds)) continue;
      this.empty(surfaceId, seat);
    }
  }

  /** Releases the idle agent of this surface, although its session has not ended. */
  private empty(surfaceId: string, seat: SurfaceAgent): void {
    this.seats.delete(surfaceId);
    const { sessionId } = seat;
    if (sessionId !== null && !seat.hasEnded)
      this.vacated.set(surfaceId, { sessionId, isPrivate: seat.memory.isPrivate });
    this.letGo(seat);
  }

  /** Called when a surface no longer needs this agent. */
  private leave(seat: SurfaceAgent, reason: SwitchReason): void {
    if (!seat.isBusy) {
      if (isNewConversation(reason)) seat.endSession();
      return this.letGo(seat);
    }
    if (isNewConversation(reason)) seat.endsWhenSettled = true;
    this.leftBehind.add(seat);
  }

  private remove(seat: SurfaceAgent): void {
    for (const [surfaceId, kept] of this.seats) if (kept.seat === seat) this.seats.delete(surfaceId);
    this.leftBehind.delete(seat);
    this.letGo(seat);
  }

  private letGo(seat: SurfaceAgent): void {
    this.leaving.add(seat);
    void seat.memory.shutdown(null).then(() => this.leaving.delete(seat));
  }

  private all(): readonly SurfaceAgent[] {
    return [...[...this.seats.values()].map(({ seat }) => seat), ...this.leftBehind];
  }

  private servingAny(sessionIds: readonly string[]): readonly SurfaceAgent[] {
    return this.all().filter(({ sessionId }) => sessionId !== null && sessionIds.includes(sessionId));
  }

  private forgetVacated(sessionIds: readonly string[]): void {
    for (const [surfaceId, { sessionId }] of this.vacated)
      if (sessionIds.includes(sessionId)) this.vacated.delete(surfaceId);
  }
}

function isNewConversation(reason: SwitchReason): boolean {
  return reason === 'new_session' || reason === 'reset';
}
