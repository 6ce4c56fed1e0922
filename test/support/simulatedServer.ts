import { erasedTail, headsDigest } from '../../src/store/headsDigest';
import type { Incarnation, SentDocument, ServerHeads } from '../../src/store/syncing';
import type {
  Connection,
  Erasing,
  Fetched,
  FetchQuery,
  LeaseAnswer,
  SendAnswer,
  SentChanges,
  ServerOverview,
  SyncServer,
} from '../../src/features/sync/core/syncServer';
import { twinFailure } from '../../src/features/sync/core/syncFailure';
import { erasedDocument } from '../../src/features/sync/core/syncServer';

interface StoredConversation {
  version: number;
  /** Number of its last change, and the machine that made it. */
  change: number;
  origin: string | null;
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

export interface ServerRules {
  /** False: a lease keeps nobody from sending, as a control. */
  readonly fences?: boolean;
  /** False: versions are known by their number alone, as a control. */
  readonly chains?: boolean;
  /** True: what it gives counts as proven, as that of an encrypted history. */
  readonly isProven?: boolean;
  /** False: machines believe that they know what the server has, as a control. */
  readonly comparesHeads?: boolean;
  /** False: machines leave out what their own id sent, as a control. */
  readonly ownHeads?: boolean;
  /** False: machines forget that a session was brought back by hand, as a control. */
  readonly marksBroughtBack?: boolean;
  /** False: what a machine prunes from its trash it forgets for all, as a control. */
  readonly prunesHere?: boolean;
  /** False: copies of a store share its id, as a control. */
  readonly incarnations?: boolean;
  /** True: a replica lags behind it. */
  readonly isReplicated?: boolean;
}

interface State {
  readonly conversations: Map<string, StoredConversation>;
  /** Names of machines. */
  readonly origins: Map<string, string>;
  readonly incarnations: Map<string, string>;
  readonly changes: number;
}

/** States that a replica may be in, at the most that many changes behind. */
const farthestLag = 12;

/** The rules of the server's tables, in memory: each call is one transaction. */
export class SimulatedServer {
  conversations = new Map<string, StoredConversation>();
  private origins = new Map<string, string>();
  private incarnations = new Map<string, string>();
  private changes = 0;
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
    this.incarnations = state.incarnations;
    this.changes = state.changes;
  }

  connect(origin: string, machine: string, incarnation?: Incarnation): Connection {
    this.keepState();
    const noted = this.incarnations.get(origin) ?? null;
    const isRepeated = noted !== null && noted === incarnation?.now;
    const isPutBack = numberOf(noted) < numberOf(incarnation?.before ?? null);
    const isKnown = noted === null || noted === incarnation?.before || isRepeated || isPutBack;
    if (!isKnown && this.rules.incarnations !== false) throw twinFailure(origin);
    this.origins.set(origin, machine);
    if (incarnation === undefined) return { origin };
    this.incarnations.set(origin, incarnation.now);
    return { origin, incarnation: incarnation.now, isRepeated };
  }

  news(_connection: Connection, after: number | null): ServerHeads {
    const heads = [...this.conversations].map(([conversationId, { version, chain, change, origin, isErased }]) => ({
      conversationId,
      version,
      tail: isErased ? erasedTail : (chain.get(version) ?? null),
      change,
      origin,
      machine: origin === null ? null : (this.origins.get(origin) ?? null),
    }));
    return {
      generation: 'one',
      changes: this.changes,
      digest: headsDigest(heads),
      heads: heads
        .filter(({ change }) => change > (after ?? 0))
        .sort((one, other) => one.change - other.change)
        .map(({ change: _, ...head }) => head),
    };
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

  send({ origin }: Connection, sending: CollectedChanges): SendAnswer {
    this.keepState();
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
    this.noteChange(conversation, origin);
    return { kind: 'done', version: conversation.version };
  }

  erase({ origin }: Connection, erasing: Erasing): void {
    const { conversationId, known = '{}', proof = this.rules.isProven === true ? known : undefined } = erasing;
    this.keepState();
    const conversation = this.conversationOf(conversationId);
    conversation.version++;
    conversation.isErased = true;
    conversation.lease = null;
    this.onErase(conversationId);
    conversation.documents.clear();
    conversation.chain.clear();
    if (proof !== undefined) conversation.documents.set(erasedDocument, { version: conversation.version, body: proof });
    conversation.erasedBy.add(origin);
    this.noteChange(conversation, origin);
  }

  confirmErased({ origin }: Connection, conversationId: string): void {
    this.keepState();
    this.conversationOf(conversationId).erasedBy.add(origin);
  }

  versionOf(_connection: Connection, conversationId: string, tail: string): number | null {
    const chain = this.conversations.get(conversationId)?.chain ?? new Map<number, string>();
    return [...chain].find(([, of]) => of === tail)?.[0] ?? null;
  }

  lease(connection: Connection, conversationId: string, query?: FetchQuery): LeaseAnswer {
    const { origin, incarnation } = connection;
    if (this.incarnations.get(origin) !== incarnation && this.rules.incarnations !== false) throw twinFailure(origin);
    this.keepState();
    const conversation = this.conversationOf(conversationId);
    const { lease } = conversation;
    if (lease !== null && lease.expires > this.clock && lease.holder !== origin)
      return { kind: 'leased', holder: this.nameOf(lease.holder) };
    conversation.fence++;
    conversation.lease = { holder: origin, expires: this.clock + 60 };
    const granted = { kind: 'granted', fence: conversation.fence, version: conversation.version } as const;
    return query === undefined ? granted : { ...granted, fetched: this.fetch(connection, query) };
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
    return this.origins.get(origin) ?? origin;
  }

  overview(): ServerOverview {
    const bodies = [...this.conversations.values()].flatMap(({ documents }) =>
      [...documents.values()].flatMap(({ body }) => body ?? []),
    );
    return {
      conversations: this.conversations.size,
      documents: bodies.length,
      bytes: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
      machines: [...this.origins].map(([origin, machine]) => ({
        origin,
        name: machine,
        seenAt: this.clock,
        unerased: [...this.conversations.values()].filter(({ isErased, erasedBy }) => isErased && !erasedBy.has(origin))
          .length,
      })),
    };
  }

  private noteChange(conversation: StoredConversation, origin: string): void {
    conversation.change = ++this.changes;
    conversation.origin = origin;
  }

  /** For a failover. */
  private keepState(): void {
    if (this.rules.isReplicated !== true) return;
    const { conversations, origins, incarnations, changes } = this;
    this.before.push(structuredClone({ conversations, origins, incarnations, changes }));
    if (this.before.length > farthestLag) this.before.shift();
  }

  private conversationOf(id: string): StoredConversation {
    const known = this.conversations.get(id) ?? {
      version: 0,
      change: 0,
      origin: null,
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

function numberOf(incarnation: string | null): string {
  return incarnation?.split('.')[0] ?? '';
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
    fetch: (...args) => server.fetch(...args),
    send: (connection, sending) =>
      server.send(connection, {
        ...sending,
        documents: async function* () {
          yield await Promise.resolve(sending.documents);
        },
      }),
    versionOf: (...args) => server.versionOf(...args),
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
    // The answer reaches nobody.
    for (const call of this.late.splice(0))
      await Promise.resolve()
        .then(call)
        .catch(() => undefined);
  }

  wayOf(): SyncServer {
    const { server } = this;
    return {
      connect: (...args) => this.call(() => server.connect(...args)),
      news: (connection, after) => this.call(() => server.news(connection, after)),
      fetch: (connection, query) => this.call(() => server.fetch(connection, query)),
      send: async (connection, sending) => {
        const documents = await collected(sending.documents());
        return this.call(() => server.send(connection, { ...sending, documents }));
      },
      versionOf: (connection, id, tail) => this.call(() => server.versionOf(connection, id, tail)),
      lease: (...args) => this.call(() => server.lease(...args)),
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
