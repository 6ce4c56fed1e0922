import type { AsyncSyncedStore, Outgoing, SentDocument } from '../../../store/syncing';
import type { Connection, Fetched, FetchQuery, SyncServer } from './syncServer';

/** Documents that are read from the store in one call, so that it serves others in between. */
export const documentsAtOnce = 50;

/** Reads the conversation that is sent next while one is on its way. */
export class ReadAhead {
  private reading: { readonly conversationId: string; readonly read: Promise<Read | null> } | null = null;

  constructor(private readonly deps: { readonly store: AsyncSyncedStore; readonly server: SyncServer }) {}

  /** Does nothing for one that is being read. */
  begin(conversationId: string): void {
    if (this.reading?.conversationId !== conversationId)
      this.reading = { conversationId, read: this.read(conversationId) };
  }

  /** The first piece of what is to be sent; null if it was not read, or if something of it changed since. */
  async take(conversationId: string, outgoing: Outgoing): Promise<readonly SentDocument[] | null> {
    if (this.reading?.conversationId !== conversationId) return null;
    const read = await this.reading.read;
    this.reading = null;
    return read !== null && isSame(read.outgoing, outgoing) ? read.bodies : null;
  }

  /** Null for one that cannot be sent now. It is read again when it is its turn. */
  private async read(conversationId: string): Promise<Read | null> {
    const { store, server } = this.deps;
    try {
      const outgoing = await store.outgoing(conversationId);
      if (outgoing === null) return null;
      const bodies = await store.bodies(
        conversationId,
        outgoing.documents.slice(0, documentsAtOnce).map(({ document }) => document),
      );
      if (bodies === null) return null;
      server.prepareDocuments?.(bodies);
      return { outgoing, bodies };
    } catch {
      return null;
    }
  }
}

interface Read {
  readonly outgoing: Outgoing;
  readonly bodies: readonly SentDocument[];
}

/** Fetches the conversation that is written next while one is written. */
export class FetchAhead {
  private asked: Promise<Asked | null> = Promise.resolve(null);

  constructor(private readonly deps: { readonly store: AsyncSyncedStore; readonly server: SyncServer }) {}

  /** The store is asked before this returns, so that it answers before it writes. */
  begin(connection: Connection, conversationId: string): void {
    this.asked = this.ask(connection, conversationId);
  }

  /** Null if it was not fetched, or if something of it changed since. */
  async take(query: FetchQuery): Promise<Fetched | null> {
    const asked = await this.asked;
    this.asked = Promise.resolve(null);
    if (asked === null) return null;
    const { fetched, ...before } = asked;
    return isSame(before, query) ? fetched : null;
  }

  private async ask(connection: Connection, conversationId: string): Promise<Asked | null> {
    const { store, server } = this.deps;
    try {
      const query = await fetchQuery(store, conversationId);
      // One that fails is fetched again when it is its turn.
      return { ...query, fetched: server.fetch(connection, query).catch(() => null) };
    } catch {
      return null;
    }
  }
}

interface Asked extends FetchQuery {
  readonly fetched: Promise<Fetched | null>;
}

/** What a store asks for. It is asked before this returns. */
export async function fetchQuery(store: AsyncSyncedStore, conversationId: string): Promise<FetchQuery> {
  const [since, chain, documents] = await Promise.all([
    store.version(conversationId),
    store.chain(conversationId),
    store.changed(conversationId),
  ]);
  return { conversationId, since, chain, documents };
}

/** Compares data that was put together in the same way. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
