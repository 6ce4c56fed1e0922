import type { OutgoingDocument, ReceiveOutcome, SyncedStore } from '../store/syncing';
import type { Connected, SyncServer } from './syncServer';

export interface SyncRoundDeps {
  readonly store: SyncedStore;
  readonly server: SyncServer;
  /** Id of this store. */
  readonly origin: string;
  /** Name of this machine, as the user knows it. */
  readonly machine: string;
  /** Id of a new branch. */
  readonly newId: () => string;
  /** Fence of the lease that this machine holds for a conversation; null for none. */
  readonly fenceOf: (conversationId: string) => number | null;
  /** Called when both machines continued a conversation, and what was added here became a branch. */
  readonly onDivided?: (conversationId: string, branchId: string) => void;
}

/** How often a conversation is fetched again because it changed here meanwhile. The next round continues. */
const attempts = 3;

/** One connection of a store to the server. A round receives what other machines sent and sends what changed here. Whatever
 *  fails is done again by a later round, on a new connection. */
export class SyncRound {
  private connection: Connected | null = null;

  constructor(private readonly deps: SyncRoundDeps) {}

  async run(): Promise<void> {
    const { store } = this.deps;
    await this.readNews();
    for (const conversationId of store.due()) await this.receive(conversationId);
    for (const conversationId of store.pending()) await this.send(conversationId);
  }

  /** Brings a conversation to the server's version. */
  async receive(conversationId: string): Promise<ReceiveOutcome> {
    const { store, server, machine, newId, onDivided } = this.deps;
    const connection = await this.connected();
    await this.settleSending(conversationId);
    let outcome: ReceiveOutcome = 'again';
    for (let attempt = 0; attempt < attempts && outcome === 'again'; attempt++) {
      const documents = store.changed(conversationId);
      const fetched = await server.fetch(connection, {
        conversationId,
        since: store.version(conversationId),
        documents,
      });
      const branchId = newId();
      outcome = store.receive({ conversationId, ...fetched, branchId, machine });
      if (outcome === 'divided') onDivided?.(conversationId, branchId);
    }
    return outcome;
  }

  private async readNews(): Promise<void> {
    const { store, server } = this.deps;
    const connection = await this.connected();
    const byOrigin = new Map<string, { position: number; ids: string[] }>();
    for (const { origin, position, conversationId } of await server.news(connection, store.positions())) {
      const known = byOrigin.get(origin) ?? { position, ids: [] };
      byOrigin.set(origin, { position: Math.max(known.position, position), ids: [...known.ids, conversationId] });
    }
    for (const [origin, { position, ids }] of byOrigin) store.noteDue(origin, position, ids);
  }

  private async send(conversationId: string): Promise<void> {
    const { store, server, fenceOf } = this.deps;
    await this.settleSending(conversationId);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const connection = await this.connected();
      const outgoing = store.outgoing(conversationId);
      if (outgoing === null) return;
      const number = store.nextNumber(connection.last);
      this.connection = { ...connection, last: number };
      store.beginSending(conversationId, number, outgoing.documents);
      const answer = await server.send(connection, {
        conversationId,
        number,
        base: outgoing.base,
        fence: fenceOf(conversationId),
        documents: outgoing.documents.map(({ document, body }: OutgoingDocument) => ({ document, body })),
      });
      if (answer.kind === 'done') return store.sent(conversationId, answer.version);
      store.notSent(conversationId);
      // A call of an earlier connection arrived late, or a copy of this store is connected too.
      if (answer.kind === 'closed') this.connection = null;
      if (answer.kind !== 'behind') return;
      if ((await this.receive(conversationId)) === 'busy') return;
    }
  }

  /** Finds out if an unanswered sending was done. */
  private async settleSending(conversationId: string): Promise<void> {
    const { store, server } = this.deps;
    const sending = store.sending(conversationId);
    if (sending === null) return;
    const last = await server.lastSent(await this.connected(), conversationId);
    if (last?.number === sending.number) store.sent(conversationId, last.version);
    else store.notSent(conversationId);
  }

  /** The first call of a connection: from then on, nothing that an earlier one sent can still arrive. */
  private async connected(): Promise<Connected> {
    this.connection ??= await this.deps.server.connect(this.deps.origin);
    return this.connection;
  }
}
