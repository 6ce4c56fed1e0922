import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { MemoryManager } from '../../memory/memoryManager';
import type { SwitchReason } from '../../memory/switchReason';
import type { Session } from '../../transcript/session';
import { SurfaceAgent } from './surfaceAgent';

interface AgentPoolParts {
  readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager;
  readonly clock: Clock;
}

/** Seats kept at surfaces, idle ones among them, at most; and how long one may be idle, in seconds. */
const mostSeats = 16;
const idleSeconds = 3600;
/** How long memory may take to finish what is queued when the window closes, before what is left is handed over. The editor gives a window three
 *  seconds for this and for its turns. */
const closingGraceMs = 1500;

/** Gives every surface its seat. When a surface goes to another session while its seat's turn is running, that seat stays behind with its
 *  turn, and the surface gets a fresh one; a seat left behind is let go when its turn has settled. A seat that is let go finishes its memory
 *  work in its own time, and none is let go while a turn runs there. */
export class AgentPool {
  /** Least recently used first. */
  private readonly seats = new Map<string, { readonly seat: SurfaceAgent; readonly usedAt: number }>();
  private readonly leftBehind = new Set<SurfaceAgent>();
  /** Seats that nobody uses any more, while their memory finishes its work. */
  private readonly leaving = new Set<SurfaceAgent>();
  /** The session of a surface whose idle seat was let go. It has not ended: when it does, memory is told by the next seat. */
  private readonly vacated = new Map<string, { readonly sessionId: string; readonly isPrivate: boolean }>();

  constructor(private readonly parts: AgentPoolParts) {}

  /** The seat that serves `session` for this surface, moved there if need be. */
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

  /** A seat for a turn of a session that no surface shows: the one that serves it already, or a fresh one that goes when the turn has settled. */
  seatBehind(session: Session): SurfaceAgent {
    const serving = this.serving(session.id);
    if (serving !== null && !serving.hasEnded) return serving;
    const seat = this.fresh(session);
    seat.serve(session.id, { reason: 'resume', parentSessionId: session.parentSessionId });
    this.leftBehind.add(seat);
    return seat;
  }

  /** The seat that serves this session now, its running turn's before any other; null where none does. */
  serving(sessionId: string): SurfaceAgent | null {
    const seats = this.all().filter((seat) => seat.sessionId === sessionId);
    return seats.find((seat) => seat.isBusy) ?? seats[0] ?? null;
  }

  /** Everything that served a segment serves the next one of its conversation. */
  movedOn(from: string, to: Session): void {
    for (const seat of this.all())
      if (seat.sessionId === from && !seat.hasEnded)
        seat.serve(to.id, { reason: 'compression', parentSessionId: to.parentSessionId });
    for (const [surfaceId, left] of this.vacated)
      if (left.sessionId === from) this.vacated.set(surfaceId, { ...left, sessionId: to.id });
  }

  /** The session that this surface shows was cut back: everything that serves it is told. */
  rewound(surfaceId: string, session: Session): void {
    const own = this.seatFor(surfaceId, session, 'resume');
    for (const seat of new Set([own, ...this.servingAny([session.id]).filter(({ hasEnded }) => !hasEnded)]))
      seat.serve(session.id, { reason: 'rewind', parentSessionId: session.parentSessionId });
  }

  /** The session that a surface shows is over. Its seat stays, for the session that follows. */
  endAt(surfaceId: string, session: Session): void {
    this.seatFor(surfaceId, session, 'resume').endSession();
  }

  /** The person left the session that a surface shows for a new one: it is over. Memory hears that now, or as soon as its turns have settled, and
   *  not with the first prompt of the new one, which may never come. The seat stays, for the session that follows. */
  leaveForNew(surfaceId: string): void {
    const seat = this.seats.get(surfaceId)?.seat ?? this.reseated(surfaceId);
    if (seat?.isBusy === true) seat.endsWhenSettled = true;
    else seat?.endSession();
  }

  /** These sessions are gone: memory hears their end, and no seat serves them any more. */
  vacate(sessionIds: readonly string[]): void {
    const vacated = [...this.vacated].filter(([, { sessionId }]) => sessionIds.includes(sessionId));
    // Once for each session, however many surfaces showed it.
    const unheard = new Map(vacated.map(([surfaceId, { sessionId }]) => [sessionId, surfaceId]));
    for (const seat of this.servingAny(sessionIds)) if (seat.sessionId !== null) unheard.delete(seat.sessionId);
    for (const surfaceId of unheard.values()) this.reseated(surfaceId);
    for (const seat of this.servingAny(sessionIds)) {
      seat.endSession();
      this.remove(seat);
    }
    this.forgetVacated(sessionIds);
  }

  /** Has memory erase these sessions. Resolves with a sentence for everything that could not be. */
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

  /** Another memory was chosen, or one was registered or taken back: what is idle is let go, and finishes its memory work; what is busy follows when
   *  its turn has settled. */
  memoryChanged(): void {
    for (const [surfaceId, { seat }] of this.seats)
      if (!seat.isBusy && !seat.memory.isCurrent) this.empty(surfaceId, seat);
  }

  /** A turn of this seat has settled, and none of its session follows at once. */
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

  /** The seat that serves the session already, here or left behind. */
  private staysOrReturns(current: SurfaceAgent | null, session: Session): SurfaceAgent | null {
    const serves = (seat: SurfaceAgent | null): seat is SurfaceAgent =>
      seat?.sessionId === session.id && !seat.hasEnded && (seat.isBusy || seat.memory.isCurrent);
    const returning = [current, ...this.leftBehind].find(serves);
    if (returning === undefined) return null;
    this.leftBehind.delete(returning);
    returning.endsWhenSettled = false;
    return returning;
  }

  /** Memory that may hear of private sessions is not that of others, and what memory was told is over does not go on there. */
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

  /** The seat that served this surface was let go while it was idle: what it would have heard now is told in its place (hermes-agent#99402). */
  private makeUpFor(surfaceId: string, seat: SurfaceAgent): void {
    const left = this.vacated.get(surfaceId);
    if (left === undefined || left.isPrivate !== seat.memory.isPrivate) return;
    seat.serve(left.sessionId, { reason: 'resume', parentSessionId: null });
  }

  /** A seat in place of the one that was let go while it was idle, for the session it served; null where none was. */
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

  /** The idle seat of this surface is let go, though its session has not ended. */
  private empty(surfaceId: string, seat: SurfaceAgent): void {
    this.seats.delete(surfaceId);
    const { sessionId } = seat;
    if (sessionId !== null && !seat.hasEnded)
      this.vacated.set(surfaceId, { sessionId, isPrivate: seat.memory.isPrivate });
    this.letGo(seat);
  }

  /** A surface has no use for this seat any more. */
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
