import type { SharedTurns } from '../../src/features/sync/core/turnSharing';
import type { SimulatedServer } from './simulatedServer';

interface Row {
  readonly fence: number;
  readonly watchedUntil: number;
  readonly isStopAsked: boolean;
  readonly body: string | null;
}

/** Running turns over the leases of a simulated server, as its table has them. */
export class SimulatedTurns {
  readonly rows = new Map<string, Row>();
  /** True: every call fails. */
  isCut = false;

  constructor(private readonly server: SimulatedServer) {
    server.onErase = (conversationId) => void this.rows.delete(conversationId);
  }

  of(origin: string): SharedTurns {
    const own = (conversationId: string, fence: number): Row | null => {
      if (this.isCut) throw new Error('no connection');
      const row = this.rows.get(conversationId);
      return row?.fence === fence ? row : null;
    };
    const change = (conversationId: string, row: Row | null, changes: Partial<Row>): void => {
      if (row !== null) this.rows.set(conversationId, { ...row, ...changes });
    };
    const isHolder = (conversationId: string, fence: number): boolean => {
      const conversation = this.server.conversations.get(conversationId);
      return conversation?.fence === fence && conversation.lease?.holder === origin;
    };
    return {
      wishes: async (id, fence) => {
        const row = isHolder(id, fence) ? own(id, fence) : null;
        return Promise.resolve({
          isWatched: row !== null && row.watchedUntil > this.server.clock,
          isStopAsked: row?.isStopAsked ?? false,
        });
      },
      show: async (id, fence, body) => {
        if (isHolder(id, fence)) change(id, own(id, fence), { body });
        return Promise.resolve();
      },
      end: async (id, fence) => {
        own(id, fence);
        const shown = this.rows.get(id)?.fence ?? 0;
        const conversation = this.server.conversations.get(id);
        const isOfAnother = conversation?.fence === shown && (conversation.lease?.holder ?? origin) !== origin;
        if (shown <= fence && !isOfAnother) this.rows.delete(id);
        return Promise.resolve();
      },
      watch: async (id) => {
        own(id, 0);
        const conversation = this.server.conversations.get(id);
        const lease = conversation?.lease ?? null;
        if (conversation === undefined || lease === null || lease.holder === origin) return Promise.resolve(null);
        const { fence } = conversation;
        const isAlive = lease.expires > this.server.clock;
        const row = own(id, fence) ?? { fence, watchedUntil: 0, isStopAsked: false, body: null };
        if (isAlive) this.rows.set(id, { ...row, watchedUntil: this.server.clock + 5 });
        const { isStopAsked, body } = row;
        return Promise.resolve({ machine: this.server.nameOf(lease.holder), fence, isAlive, isStopAsked, body });
      },
      askToStop: async (id, fence) => {
        change(id, own(id, fence), { isStopAsked: true });
        return Promise.resolve();
      },
    };
  }
}
