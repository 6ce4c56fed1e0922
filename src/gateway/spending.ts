import { shownLanguage, t } from '../base/translate';
import { dollars, type Spending } from '../transcript/usage';
import type { Failure } from '../transcript/stopReason';
import type { GatewayServices } from './gatewayServices';

/** Cost of sessions, as the store has it, and the limit at which a turn stops and asks. */
export class SpendingLimit {
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
