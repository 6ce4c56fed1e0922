import type { MemoryManager } from '../memory/memoryManager';
import type { SwitchReason } from '../memory/switchReason';
import { AgentSeat } from './agentSeat';

/** Gives every surface its seat. When a surface goes to another session while its seat's turn is running, that seat stays behind with its
 *  turn, and the surface gets a fresh one; a seat left behind is let go when its turn has settled. */
export class Seating {
  private readonly seats = new Map<string, AgentSeat>();
  private readonly leftBehind = new Set<AgentSeat>();

  constructor(
    private readonly createMemory: () => MemoryManager,
    private readonly graceMs: () => Promise<void>,
  ) {}

  /** The seat that serves `sessionId` for this surface, moved there if need be. */
  seatFor(surfaceId: string, sessionId: string, change: { readonly reason: SwitchReason; readonly parentSessionId: string | null }): AgentSeat {
    const current = this.seats.get(surfaceId);
    if (current !== undefined && (current.sessionId === sessionId || !current.isBusy)) {
      current.serve(sessionId, change);
      return current;
    }
    const returning = [...this.leftBehind].find((seat) => seat.sessionId === sessionId);
    if (current !== undefined) this.leftBehind.add(current);
    const seat = returning ?? new AgentSeat(this.createMemory());
    this.leftBehind.delete(seat);
    this.seats.set(surfaceId, seat);
    seat.serve(sessionId, change);
    return seat;
  }

  /** A turn of this seat has settled. */
  settled(seat: AgentSeat): void {
    if (seat.isBusy || !this.leftBehind.delete(seat)) return;
    void seat.memory.shutdown(this.graceMs());
  }

  async dispose(): Promise<void> {
    const all = [...this.seats.values(), ...this.leftBehind];
    this.seats.clear();
    this.leftBehind.clear();
    await Promise.all(all.map((seat) => seat.memory.shutdown(this.graceMs())));
  }
}
