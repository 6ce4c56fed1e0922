import type { NewOutboxEntry, OutboxEntry } from '../../../src/store/outbox';
import type { HindsightStore, SessionTurns, TurnText } from '../../../src/features/hindsight/core/ports';

export interface StoredTurn extends TurnText {
  readonly uid: string;
  readonly sessionId: string;
  state: 'open' | 'complete' | 'over';
  hidden: boolean;
}

/** What outlives a process: outbox, small values, turns. Each call is whole or not at all, as in the store. */
export class MemoryStore {
  readonly entries: OutboxEntry[] = [];
  readonly meta = new Map<string, string>();
  readonly turns: StoredTurn[] = [];

  /** The turns of a session that a person sees. */
  shown(sessionId: string): readonly StoredTurn[] {
    return this.turns.filter((turn) => turn.sessionId === sessionId && !turn.hidden && turn.state === 'complete');
  }

  /** What one process has of the store; `guard` is asked before every call and may throw, as if the process had died there. */
  ports(guard: () => void): HindsightStore & SessionTurns {
    const change = async <T>(work: () => T): Promise<T> => {
      await Promise.resolve();
      guard();
      return work();
    };
    return {
      outboxAdd: (entry) => change(() => this.add(entry)),
      outboxDue: (provider, now, limit) => change(() => this.due(provider, now).slice(0, limit)),
      outboxDone: (uid) => change(() => this.take(uid, () => null)),
      outboxFailed: (uid, error, nextAttemptAt) =>
        change(() =>
          this.take(uid, (entry) => ({ ...entry, attempts: entry.attempts + 1, lastError: error, nextAttemptAt })),
        ),
      outboxCounts: () =>
        change(() => {
          const providers = [...new Set(this.entries.map(({ provider }) => provider))];
          return providers.map((provider) => {
            const own = this.entries.filter((entry) => entry.provider === provider);
            return {
              provider,
              waiting: own.length,
              failed: own.filter(({ attempts }) => attempts > 0).length,
              oldestAt: own[0]?.createdAt ?? 0,
              lastError: null,
            };
          });
        }),
      getMeta: (key) => change(() => this.meta.get(key) ?? null),
      setMeta: (key, value) => change(() => void this.meta.set(key, value)),
      deleteMeta: (key) => change(() => void this.meta.delete(key)),
      read: (_sessionId, uids) =>
        change(
          () =>
            new Map(
              this.turns
                .filter(({ uid, hidden, state }) => uids.has(uid) && !hidden && state === 'complete')
                .map((turn) => [turn.uid, turn]),
            ),
        ),
      stateOf: (uid) => change(() => this.turns.find((turn) => turn.uid === uid)?.state ?? 'over'),
    };
  }

  private add(entry: NewOutboxEntry): void {
    if (!this.entries.some(({ uid }) => uid === entry.uid))
      this.entries.push({ ...entry, attempts: 0, lastError: null });
  }

  /** An entry waits behind the earlier ones of its session. */
  private due(provider: string, now: number): readonly OutboxEntry[] {
    const held = new Set<string>();
    return this.entries.filter((entry) => {
      if (entry.provider !== provider) return false;
      if (entry.nextAttemptAt > now) held.add(entry.sessionId);
      return !held.has(entry.sessionId);
    });
  }

  private take(uid: string, change: (entry: OutboxEntry) => OutboxEntry | null): void {
    const index = this.entries.findIndex((entry) => entry.uid === uid);
    const entry = this.entries[index];
    if (entry === undefined) return;
    const changed = change(entry);
    this.entries.splice(index, 1, ...(changed === null ? [] : [changed]));
  }
}
