import type { Clock } from '../base/clock';
import type { SessionStore } from '../store/sessionStore';
import type { Spending } from '../transcript/cost';

interface SpendingParts {
  readonly store: SessionStore;
  readonly clock: Clock;
}

/** Cost of sessions, as the store has it. */
export class SpendingDesk {
  constructor(private readonly parts: SpendingParts) {}

  async spending(sessionId: string | null): Promise<Spending> {
    const { store, clock } = this.parts;
    const [session, today] = await Promise.all([
      sessionId === null ? null : store.sessionSpending(sessionId),
      store.spendingSince(startOfDay(clock.now())),
    ]);
    return { session: session?.cost ?? null, today };
  }
}

/** Seconds since the epoch of the last local midnight. */
function startOfDay(now: number): number {
  return new Date(now * 1000).setHours(0, 0, 0, 0) / 1000;
}
