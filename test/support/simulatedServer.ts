import type { SentDocument } from '../../src/store/syncing';
import type {
  Connected,
  Connection,
  Erasing,
  Fetched,
  FetchQuery,
  LastSent,
  LeaseAnswer,
  NewsAnswer,
  SendAnswer,
  SentChanges,
  ServerOverview,
  SummaryRow,
  SyncServer,
} from '../../src/sync/syncServer';
import { erasedDocument } from '../../src/sync/syncServer';

interface StoredConversation {
  version: number;
  readonly documents: Map<string, { readonly version: number; readonly body: string | null }>;
  /** Tails by version. */
  readonly chain: Map<number, string>;
  lease: { readonly holder: string; readonly expires: number } | null;
  fence: number;
  isErased: boolean;
  /** Machines that have erased it. */
  readonly erasedBy: Set<string>;
}

/** A sending whose documents were read. */
export type CollectedChanges = Omit<SentChanges, 'documents'> & { readonly documents: readonly SentDocument[] };

interface Origin {
  machine: string;
  writer: number;
  last: number;
  readonly sent: Map<string, LastSent>;
}

export interface ServerRules {
  /** False: a lease keeps nobody from sending, as a control. */
  readonly fences?: boolean;
  /** False: sendings of earlier connections still arrive, as a control. */
  readonly closesConnections?: boolean;
  /** False: a sending still arrives after a later one of the same connection, as a control. */
  readonly refusesLate?: boolean;
  /** False: versions are known by their number alone, as a control. */
  readonly chains?: boolean;
  /** True: what it gives counts as proven, as that of an encrypted history. */
  readonly isProven?: boolean;
  /** True: a replica lags behind it. */
  readonly isReplicated?: boolean;
  /** False: it keeps to itself that it lost something, as a control. */
  readonly admitsLoss?: boolean;
}

interface State {
  readonly conversations: Map<string, StoredConversation>;
  readonly origins: Map<string, Origin>;
}

/** States that a replica may be in, at the most that many changes behind. */
const farthestLag = 12;

/** The rules of the server's tables, in memory: each call is one transaction. */
export class SimulatedServer {
  conversations = new Map<string, StoredConversation>();
  private origins = new Map<string, Origin>();
  /** The states before the last changes, the oldest first. */
  private readonly before: State[] = [];
  /** Seconds. */
  clock = 1000;
  onErase: (conversationId: string) => void = () => undefined;

  constructor(private readonly rules: ServerRules = {}) {}

  /** A replica takes the place of the server. It lags behind by this many changes, as far as it was noted. */
  failOver(lag: number): void {
    if (lag === 0) return;
    const [state] = this.before.splice(Math.max(0, this.before.length - lag));
    if (state === undefined) return;
    this.conversations = state.conversations;
    this.origins = state.origins;
  }

  connect(origin: string, machine: string): Connected {
    this.changes();
    const known = this.originOf(origin);
    known.machine = machine;
    known.writer++;
    return { origin, writer: known.writer, last: known.last };
  }

  news({ origin }: Connection, positions: ReadonlyMap<string, number>): NewsAnswer {
    const lost = [...positions].flatMap(([name, position]): [string, number][] => {
      const last = this.origins.get(name)?.last ?? 0;
      return last < position && this.rules.admitsLoss !== false ? [[name, last]] : [];
    });
    const news = [...this.origins]
      .filter(([name]) => name !== origin)
      .flatMap(([name, { sent, machine }]) =>
        [...sent]
          .map(([conversationId, { number, version }]) => ({
            origin: name,
            machine,
            version,
            position: number,
            conversationId,
          }))
          .filter(({ position }) => position > (positions.get(name) ?? 0)),
      );
    return { news, lost: new Map(lost) };
  }

  summary(): readonly SummaryRow[] {
    return [...this.conversations].map(([conversationId, { version, chain }]) => ({
      conversationId,
      version,
      tail: chain.get(version) ?? null,
    }));
  }

  fetch(_connection: Connection, { conversationId, since, chain, documents }: FetchQuery): Fetched {
    const conversation = this.conversations.get(conversationId);
    const named = new Map(documents.map((document) => [document, { version: 0, body: null as string | null }]));
    const shared = chain.find(({ version, tail }) => conversation?.chain.get(version) === tail)?.version ?? 0;
    const base = this.rules.chains === false ? Math.min(since, conversation?.version ?? 0) : shared;
    const after = base === since ? since : 0;
    for (const [document, stored] of conversation?.documents ?? [])
      if (stored.version > after || named.has(document)) named.set(document, stored);
    return {
      version: conversation?.version ?? 0,
      base,
      chain: [...(conversation?.chain ?? [])]
        .map(([version, tail]) => ({ version, tail }))
        .filter(({ version }) => version > base)
        .reverse(),
      documents: [...named].map(([document, stored]) => ({ document, ...stored })),
      isErased: conversation?.isErased ?? false,
      ...(this.rules.isProven === true ? { isProven: true } : {}),
    };
  }

  send({ origin, writer }: Connection, sending: CollectedChanges): SendAnswer {
    this.changes();
    const known = this.originOf(origin);
    if (this.isClosed(known, writer, sending)) return { kind: 'closed' };
    const conversation = this.conversationOf(sending.conversationId);
    const { lease } = conversation;
    if (conversation.isErased) return { kind: 'erased' };
    const isLeased =
      lease !== null && lease.expires > this.clock && (lease.holder !== origin || sending.fence !== conversation.fence);
    if (isLeased && this.rules.fences !== false) return { kind: 'leased' };
    const isBehind =
      conversation.version !== sending.base ||
      ((conversation.chain.get(sending.base) ?? null) !== sending.baseTail && this.rules.chains !== false);
    if (isBehind) return { kind: 'behind' };
    conversation.version++;
    conversation.chain.set(conversation.version, sending.tail);
    for (const { document, body } of sending.documents)
      conversation.documents.set(document, { version: conversation.version, body });
    known.last = Math.max(known.last, sending.number);
    known.sent.set(sending.conversationId, { number: sending.number, version: conversation.version });
    return { kind: 'done', version: conversation.version };
  }

  erase({ origin, writer }: Connection, erasing: Erasing): boolean {
    const { conversationId, number } = erasing;
    this.changes();
    const known = this.originOf(origin);
    if (this.isClosed(known, writer, erasing)) return false;
    const conversation = this.conversationOf(conversationId);
    conversation.version++;
    conversation.isErased = true;
    conversation.lease = null;
    this.onErase(conversationId);
    conversation.documents.clear();
    conversation.chain.clear();
    if (erasing.proof !== undefined)
      conversation.documents.set(erasedDocument, { version: conversation.version, body: erasing.proof });
    conversation.erasedBy.add(origin);
    known.last = Math.max(known.last, number);
    known.sent.set(conversationId, { number, version: conversation.version });
    return true;
  }

  confirmErased({ origin }: Connection, conversationId: string): void {
    this.changes();
    this.conversationOf(conversationId).erasedBy.add(origin);
  }

  lastSent({ origin }: Connection, conversationId: string): LastSent | null {
    return this.originOf(origin).sent.get(conversationId) ?? null;
  }

  lease({ origin }: Connection, conversationId: string): LeaseAnswer {
    this.changes();
    const conversation = this.conversationOf(conversationId);
    const { lease } = conversation;
    if (lease !== null && lease.expires > this.clock && lease.holder !== origin)
      return { kind: 'leased', holder: this.originOf(lease.holder).machine };
    conversation.fence++;
    conversation.lease = { holder: origin, expires: this.clock + 60 };
    return { kind: 'granted', fence: conversation.fence, version: conversation.version };
  }

  renew({ origin }: Connection, conversationId: string, fence: number): boolean {
    const conversation = this.conversationOf(conversationId);
    const { lease } = conversation;
    if (lease?.holder !== origin || lease.expires <= this.clock || conversation.fence !== fence) return false;
    conversation.lease = { holder: origin, expires: this.clock + 60 };
    return true;
  }

  release({ origin }: Connection, conversationId: string, fence: number): void {
    const conversation = this.conversationOf(conversationId);
    if (conversation.lease?.holder === origin && conversation.fence === fence) conversation.lease = null;
  }

  nameOf(origin: string): string {
    return this.originOf(origin).machine;
  }

  overview(): ServerOverview {
    const bodies = [...this.conversations.values()].flatMap(({ documents }) =>
      [...documents.values()].flatMap(({ body }) => body ?? []),
    );
    return {
      conversations: this.conversations.size,
      documents: bodies.length,
      bytes: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
      machines: [...this.origins].map(([origin, { machine, last }]) => ({
        origin,
        name: machine,
        last,
        seenAt: this.clock,
        unerased: [...this.conversations.values()].filter(({ isErased, erasedBy }) => isErased && !erasedBy.has(origin))
          .length,
      })),
    };
  }

  /** Keeps the state for a failover. */
  private changes(): void {
    if (this.rules.isReplicated !== true) return;
    this.before.push(structuredClone({ conversations: this.conversations, origins: this.origins }));
    if (this.before.length > farthestLag) this.before.shift();
  }

  private isClosed(
    known: Origin,
    writer: number,
    { number, confirmed }: Pick<Erasing, 'number' | 'confirmed'>,
  ): boolean {
    if (this.rules.admitsLoss !== false && known.last < confirmed) return true;
    if (this.rules.refusesLate !== false && number <= known.last) return true;
    return known.writer !== writer && this.rules.closesConnections !== false;
  }

  private originOf(name: string): Origin {
    const known = this.origins.get(name) ?? { machine: name, writer: 0, last: 0, sent: new Map<string, LastSent>() };
    this.origins.set(name, known);
    return known;
  }

  private conversationOf(id: string): StoredConversation {
    const known = this.conversations.get(id) ?? {
      version: 0,
      documents: new Map(),
      chain: new Map(),
      lease: null,
      fence: 0,
      isErased: false,
      erasedBy: new Set<string>(),
    };
    this.conversations.set(id, known);
    return known;
  }
}

/** What becomes of a call: done; lost on its way; done, and the answer lost; given up by the caller, and done later. */
export type Fate = 'done' | 'lost' | 'unanswered' | 'late';

/** A server to whose calls a network leads. */
type Served = {
  readonly [M in Exclude<keyof SyncServer, 'send' | 'prepareDocuments' | 'tailOf'>]: (
    ...args: Parameters<SyncServer[M]>
  ) => Awaited<ReturnType<SyncServer[M]>> | ReturnType<SyncServer[M]>;
} & {
  send(connection: Connection, sending: CollectedChanges): SendAnswer | Promise<SendAnswer>;
};

/** A real server, as a network leads to it. */
export function served(server: SyncServer): Served {
  return {
    connect: (...args) => server.connect(...args),
    news: (...args) => server.news(...args),
    summary: (...args) => server.summary(...args),
    fetch: (...args) => server.fetch(...args),
    send: (connection, sending) =>
      server.send(connection, {
        ...sending,
        documents: async function* () {
          yield await Promise.resolve(sending.documents);
        },
      }),
    lastSent: (...args) => server.lastSent(...args),
    lease: (...args) => server.lease(...args),
    renew: (...args) => server.renew(...args),
    release: (...args) => server.release(...args),
    erase: (...args) => server.erase(...args),
    confirmErased: (...args) => server.confirmErased(...args),
    overview: () => server.overview(),
  };
}

/** A machine's way to the server. */
export class SimulatedNetwork {
  private readonly late: (() => unknown)[] = [];
  isCut = false;

  constructor(
    private readonly server: Served,
    private readonly nextFate: () => Fate,
  ) {}

  /** Does what was given up and is still on its way. */
  async deliverLate(): Promise<void> {
    for (const call of this.late.splice(0)) await call();
  }

  wayOf(): SyncServer {
    const { server } = this;
    return {
      connect: (origin, machine) => this.call(() => server.connect(origin, machine)),
      news: (connection, positions) => this.call(() => server.news(connection, positions)),
      summary: (connection) => this.call(() => server.summary(connection)),
      fetch: (connection, query) => this.call(() => server.fetch(connection, query)),
      send: async (connection, sending) => {
        const documents = await collected(sending.documents());
        return this.call(() => server.send(connection, { ...sending, documents }));
      },
      lastSent: (connection, id) => this.call(() => server.lastSent(connection, id)),
      lease: (connection, id) => this.call(() => server.lease(connection, id)),
      erase: (connection, erasing) => this.call(() => server.erase(connection, erasing)),
      confirmErased: (connection, id) => this.call(() => server.confirmErased(connection, id)),
      overview: () => this.call(() => server.overview()),
      renew: (connection, id, fence) => this.call(() => server.renew(connection, id, fence)),
      release: (connection, id, fence) => this.call(() => server.release(connection, id, fence)),
    };
  }

  private async call<T>(work: () => T | Promise<T>): Promise<T> {
    await Promise.resolve();
    const fate = this.isCut ? 'lost' : this.nextFate();
    switch (fate) {
      case 'done':
        return work();
      case 'lost':
        throw new Error('no connection');
      case 'unanswered':
        await work();
        throw new Error('the answer was lost');
      case 'late':
        this.late.push(work);
        throw new Error('no answer in time');
    }
  }
}

async function collected<T>(pieces: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(...piece);
  return all;
}
