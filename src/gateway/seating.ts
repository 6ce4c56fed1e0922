import type { MemoryManager } from '../memory/memoryManager';
import type { SwitchReason } from '../memory/switchReason';
import { AgentSeat } from './agentSeat';

export interface SeatChange {
  readonly reason: SwitchReason;
  readonly parentSessionId: string | null;
  /** The session is a private one; its seat's memory is never that of another session. */
  readonly isPrivate?: boolean;
}

/** Gives every surface its seat. When a surface goes to another session while its seat's turn is running, that seat stays behind with its
 *  turn, and the surface gets a fresh one; a seat left behind is let go when its turn has settled. */
export class Seating {
  private readonly seats = new Map<string, AgentSeat>();
  private readonly leftBehind = new Set<AgentSeat>();
  /** Seats that nobody uses any more, while their memory finishes its work. */
  private readonly leaving = new Set<AgentSeat>();

  constructor(
    private readonly createMemory: (agent: { readonly isPrivate: boolean }) => MemoryManager,
    private readonly graceMs: () => Promise<void>,
  ) {}

  /** The seat that serves `sessionId` for this surface, moved there if need be. */
  seatFor(surfaceId: string, sessionId: string, change: SeatChange): AgentSeat {
    const current = this.seats.get(surfaceId);
    const isPrivate = change.isPrivate ?? false;
    if (current !== undefined && (current.sessionId === sessionId || (!current.isBusy && current.memory.isPrivate === isPrivate))) {
      current.serve(sessionId, change);
      return current;
    }
    const returning = [...this.leftBehind].find((seat) => seat.sessionId === sessionId);
    if (current !== undefined) this.leave(current);
    const seat = returning ?? new AgentSeat(this.createMemory({ isPrivate }));
    this.leftBehind.delete(seat);
    this.seats.set(surfaceId, seat);
    seat.serve(sessionId, change);
    return seat;
  }

  /** The seat that serves this session now, its running turn's before any other; null where none does. */
  serving(sessionId: string): AgentSeat | null {
    const seats = [...this.seats.values(), ...this.leftBehind].filter((seat) => seat.sessionId === sessionId);
    return seats.find((seat) => seat.isBusy) ?? seats[0] ?? null;
  }

  /** A turn of this seat has settled. */
  settled(seat: AgentSeat): void {
    if (!seat.isBusy && this.leftBehind.delete(seat)) this.letGo(seat);
  }

  async dispose(): Promise<void> {
    const all = [...this.seats.values(), ...this.leftBehind, ...this.leaving];
    this.seats.clear();
    this.leftBehind.clear();
    await Promise.all(all.map((seat) => seat.memory.shutdown(this.graceMs())));
  }

  /** A surface has no use for this seat any more. */
  private leave(seat: AgentSeat): void {
    if (seat.isBusy) this.leftBehind.add(seat);
    else this.letGo(seat);
  }

  private letGo(seat: AgentSeat): void {
    this.leaving.add(seat);
    void seat.memory.shutdown(null).then(() => this.leaving.delete(seat));
  }
}
