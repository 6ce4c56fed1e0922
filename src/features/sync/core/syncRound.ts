import type { AsyncSyncedStore, ChangedDocument, Outgoing, ReceiveOutcome, SentDocument } from '../../../store/syncing';
import { StoreError } from '../../../store/storeError';
import { syncFailureIn } from './syncFailure';
import {
  erasedDocument,
  type Connection,
  type Fetched,
  type FetchQuery,
  type SendAnswer,
  type SyncServer,
} from './syncServer';

export interface SyncRoundDeps {
  readonly store: AsyncSyncedStore;
  readonly server: SyncServer;
  /** Id of this store. */
  readonly origin: string;
  /** Name of this machine, as the user knows it. */
  readonly machine: string;
  /** Id of a new branch. */
  readonly newId: () => string;
  /** Fence of the lease that this machine holds for a conversation; null for none. */
  readonly fenceOf: (conversationId: string) => number | null;
  /** Called when a sending is refused because of a lease. True when this machine holds it now. */
  readonly leaseAgain?: (conversationId: string) => Promise<boolean>;
  /** Called after the rows of a conversation came from another machine. `branchId`: set when both machines continued
   *  it, and what was added here became a branch. */
  readonly onReceived?: (conversationId: string, branchId: string | null) => Promise<void> | void;
  /** Called after a conversation that was forgotten on another machine was erased here. */
  readonly onForgotten?: () => void;
  /** Called when the server removed what this machine has, without a proof that a machine of the history did. */
  readonly onRemoved?: (conversationId: string, kept: KeptRemoval) => void;
}

interface Reading {
  readonly known: ReadonlyMap<string, number> | undefined;
  readonly first: readonly SentDocument[] | null;
  readonly next: string | null;
}

/** `session`: the whole session is in the trash now. `copy`: the session as it was is there, as a private one.
 *  `refused`: everything is here as it was. */
export type KeptRemoval = 'session' | 'copy' | 'refused';

/** Documents that are read from the store in one call, so that it serves others in between. */
const documentsAtOnce = 50;

/** How often a conversation is fetched again because it changed here meanwhile. The next round continues. */
const attempts = 3;

/** Rounds that leave out a conversation that cannot be read or stored. */
const longestPause = 64;

/** Characters of a random tail. */
const tailLength = 13;

/** Cannot be read, stored or sent, and is tried again less and less often. */
export interface RefusedConversation {
  readonly conversationId: string;
  readonly error: unknown;
}

/** True when rows of one conversation cannot be read or stored: the others can. */
function isOfOneConversation(error: unknown): boolean {
  const kind = syncFailureIn(error)?.kind;
  return (error instanceof StoreError && error.causeClass === 'invalid') || kind === 'seal' || kind === 'rows';
}

function branchOf(outcome: ReceiveOutcome): string | null {
  return typeof outcome === 'object' && 'branchId' in outcome ? outcome.branchId : null;
}

/** A turn began here while its conversation was read. */
class TurnBegan extends Error {
  override readonly name = 'TurnBegan';
}

/** One connection of a store to the server. A round receives what other machines sent and sends what changed here.
 *  Whatever fails is done again by a later round, on a new connection. */
export class SyncRound {
  private connection: Promise<Connection> | null = null;
  /** Conversations that failed, and the rounds that leave them out. */
  private readonly paused = new Map<string, { readonly error: unknown; readonly rounds: number; left: number }>();
  private readonly working = new Map<string, Promise<unknown>>();
  private readonly readAhead: ReadAhead;
  private readonly fetchAhead: FetchAhead;
  /** The store notes what the server has taken, while the next conversation is sent. */
  private noting: Promise<unknown> = Promise.resolve();
  /** True when there was more of a conversation than its turn is long: the next round goes on. */
  isUnfinished = false;

  constructor(private readonly deps: SyncRoundDeps) {
    this.readAhead = new ReadAhead(deps);
    this.fetchAhead = new FetchAhead(deps);
  }

  /** Continues after a conversation that fails, and throws the error at the end. Returns those that were refused: all
   *  others were exchanged. Ends early, between two conversations, when the signal is aborted. */
  async run(signal?: AbortSignal): Promise<readonly RefusedConversation[]> {
    const { store } = this.deps;
    this.isUnfinished = false;
    while (signal?.aborted !== true && (await store.noteMore())) continue;
    await this.readNews();
    const failures: unknown[] = [];
    const seen = new Set<string>();
    const each = async (
      ids: readonly string[],
      work: (id: string, next: string | null) => Promise<unknown>,
    ): Promise<void> => {
      for (const [index, id] of ids.entries()) {
        if (signal?.aborted === true) return;
        seen.add(id);
        if (this.isPaused(id)) continue;
        try {
          await work(id, ids[index + 1] ?? null);
          this.paused.delete(id);
        } catch (error) {
          // Nothing may be sent to a history whose key is not here.
          if (syncFailureIn(error)?.kind === 'key') throw error;
          if (isOfOneConversation(error)) this.pause(id, error);
          else failures.push(error);
        }
        // The others would fail as well.
        if (failures.length >= attempts) return;
      }
    };
    const forgotten = await store.forgotten();
    const known = new Map(forgotten.map((one) => [one.conversationId, one.known]));
    for (const id of known.keys()) this.paused.delete(id);
    await each([...known.keys()], (id) => this.alone(id, () => this.eraseThere(id, known.get(id))));
    await each(await store.due(), (id, next) => this.alone(id, () => this.receiveAlone(id, next)));
    await each(await store.pending(), (id, next) => this.alone(id, () => this.send(id, next)));
    const { noting } = this;
    this.noting = Promise.resolve();
    await noting.catch((error: unknown) => void failures.push(error));
    if (failures.length > 0) throw failures[0];
    for (const id of this.paused.keys()) if (!seen.has(id)) this.paused.delete(id);
    return [...this.paused].map(([conversationId, { error }]) => ({ conversationId, error }));
  }

  private isPaused(conversationId: string): boolean {
    const paused = this.paused.get(conversationId);
    return paused !== undefined && paused.left-- > 0;
  }

  private pause(conversationId: string, error: unknown): void {
    const rounds = Math.min(longestPause, 2 * (this.paused.get(conversationId)?.rounds ?? 1));
    this.paused.set(conversationId, { error, rounds, left: rounds });
  }

  /** Brings a conversation to the server's version. `fetched`: what was asked for, and is known of that already. */
  receive(conversationId: string, fetched?: readonly [FetchQuery, Fetched | null]): Promise<ReceiveOutcome> {
    return this.alone(conversationId, () => this.receiveAlone(conversationId, null, fetched));
  }

  /** The first call to the server makes this machine known there. */
  connected(): Promise<Connection> {
    this.connection ??= this.connect().catch((error: unknown) => {
      this.connection = null;
      throw error;
    });
    return this.connection;
  }

  private async connect(isAgain = false): Promise<Connection> {
    const { store, server, origin, machine, newId } = this.deps;
    const incarnation = await store.connecting(origin, newId());
    const connection = await server.connect(origin, machine, incarnation);
    await store.connected(origin, incarnation.now);
    // A copy of this store may have been given the same incarnation.
    return connection.isRepeated === true && !isAgain ? this.connect(true) : connection;
  }

  /** `next`: fetched already while this one is written. */
  private async receiveAlone(
    conversationId: string,
    next: string | null,
    [asked, there]: readonly [FetchQuery | null, Fetched | null] = [null, null],
  ): Promise<ReceiveOutcome> {
    const { store, server, machine, newId, onReceived } = this.deps;
    const connection = await this.connected();
    await this.settleSending(conversationId);
    let outcome: ReceiveOutcome = 'again';
    for (let attempt = 0; attempt < attempts && outcome === 'again'; attempt++) {
      const query = await fetchQuery(store, conversationId);
      const { since } = query;
      const found =
        (await this.fetchAhead.take(query)) ??
        (isSame(asked, query) ? there : null) ??
        (await server.fetch(connection, query));
      if (next !== null) this.fetchAhead.begin(connection, next);
      if (found === null) this.isUnfinished = true;
      if (found === null) return 'again';
      const { isErased, isProven = false, refused = [], ...fetched } = found;
      const branchId = newId();
      if (isErased) outcome = await this.eraseHere(connection, conversationId, found);
      else if (await store.isErased(conversationId)) {
        // The server lost that it was forgotten.
        await this.eraseThere(conversationId);
        return 'forgotten';
      } else outcome = await store.receive({ conversationId, ...fetched, isProven, branchId, machine });
      const [branch, copy] = [branchOf(outcome), typeof outcome === 'object' && 'keptId' in outcome];
      // After a loss of the server the same number may be another version.
      const isOther = fetched.version !== since || fetched.base !== since;
      const isNew = isOther && outcome !== 'busy' && outcome !== 'again';
      if (isNew) await onReceived?.(conversationId, branch);
      if (copy) this.deps.onRemoved?.(conversationId, 'copy');
      if (isNew && refused.length > 0) await this.noteRefused(conversationId, refused);
    }
    return outcome;
  }

  /** Compares all heads where what is known of the server is not what it has: it lost its newest versions, is another
   *  one, or this store was put back. */
  private async readNews(): Promise<void> {
    const { store, server, origin } = this.deps;
    const connection = await this.connected();
    const read = await store.read();
    const news = await server.news(connection, read?.changes ?? 0);
    const isLater = read === null || (read.generation === news.generation && read.changes <= news.changes);
    if (isLater && read?.changes === news.changes && news.heads.length === 0 && news.digest === read.digest) return;
    if (isLater && (await store.noteHeads(news, origin, false))) return;
    await store.noteHeads(await server.news(connection, null), origin, true);
  }

  /** `next`: read already while the server takes this one. */
  private async send(conversationId: string, next: string | null): Promise<void> {
    const { store } = this.deps;
    await this.settleSending(conversationId);
    for (let attempt = 0; attempt < attempts; attempt++) {
      const outgoing = await store.outgoing(conversationId);
      if (outgoing === null) return;
      const answer = await this.sendOnce(conversationId, outgoing, next);
      if (answer === null) return;
      if (answer.kind === 'done') return this.noteSent(conversationId, answer.version);
      if (answer.kind === 'more') this.isUnfinished = true;
      await store.notSent(conversationId);
      if (answer.kind === 'leased' && (await this.deps.leaseAgain?.(conversationId)) === true) continue;
      if (answer.kind !== 'behind' && answer.kind !== 'erased') return;
      const received = await this.receiveAlone(conversationId, null);
      if (received === 'busy' || received === 'forgotten') return;
    }
  }

  private noteSent(conversationId: string, version: number): void {
    this.noting = Promise.all([this.noting, this.deps.store.sent(conversationId, version)]);
    // The run rejects with it.
    this.noting.catch(() => undefined);
  }

  /** Null when a turn began here meanwhile: then nothing was sent. */
  private async sendOnce(conversationId: string, outgoing: Outgoing, next: string | null): Promise<SendAnswer | null> {
    const { store, server, fenceOf, newId } = this.deps;
    const { base, baseTail, documents } = outgoing;
    const random = newId().slice(0, tailLength);
    const tail = server.tailOf?.({ conversationId, base, baseTail, random }) ?? random;
    const first = await this.readAhead.take(conversationId, outgoing);
    const connection = await this.connected();
    const noted = store.beginSending(conversationId, documents, tail);
    if (next !== null && first !== null && documents.length <= documentsAtOnce) this.readAhead.begin(next);
    await noted;
    try {
      return await server.send(connection, {
        conversationId,
        base,
        baseTail,
        tail,
        fence: fenceOf(conversationId),
        changes: documents,
        documents: (known) => this.bodies(conversationId, documents, { known, first, next }),
      });
    } catch (error) {
      if (!(error instanceof TurnBegan)) throw error;
      await store.notSent(conversationId);
      return null;
    }
  }

  private async eraseThere(conversationId: string, known = '{}'): Promise<void> {
    const { store, server } = this.deps;
    await server.erase(await this.connected(), { conversationId, known });
    await store.forgottenThere(conversationId);
  }

  /** Machines without the documents that an earlier build removed have nothing to keep. */
  private async noteRefused(conversationId: string, refused: readonly string[]): Promise<void> {
    const here = new Set(await this.deps.store.transcriptDocuments(conversationId));
    if (refused.some((document) => here.has(document))) this.deps.onRemoved?.(conversationId, 'refused');
  }

  /** The conversation stays due until the server knows that it is erased here. What no machine of the history has
   *  proven erases nothing, and is not repeated to the server, where it would be proven. */
  private async eraseHere(
    connection: Connection,
    conversationId: string,
    { isProven = false, documents }: Fetched,
  ): Promise<'forgotten' | 'busy'> {
    const { store, server, onForgotten, onRemoved } = this.deps;
    const known = documents.find(({ document }) => document === erasedDocument)?.body ?? null;
    if (!isProven) {
      const done = await store.trashForgotten(conversationId, known);
      if (done === 'busy') return 'busy';
      if (done === 'trashed') onRemoved?.(conversationId, 'session');
      if (done === 'gone') await server.confirmErased(connection, conversationId);
      return 'forgotten';
    }
    if (!(await store.forget(conversationId, known))) return 'busy';
    onForgotten?.();
    await server.confirmErased(connection, conversationId);
    await store.forgottenThere(conversationId);
    return 'forgotten';
  }

  /** What the documents hold, piece by piece, without those that are known. Throws when a turn begins: a transcript is
   *  sent as it is between two turns. `first`: the first piece, if it was read. `next`: the conversation to be read
   *  when this one was. */
  private async *bodies(conversationId: string, all: readonly ChangedDocument[], reading: Reading) {
    const { known, first, next } = reading;
    const documents = all.filter(({ document, change }) => known?.get(document) !== change);
    for (let from = 0; from < documents.length; from += documentsAtOnce) {
      const piece = documents.slice(from, from + documentsAtOnce);
      const names = piece.map(({ document }) => document);
      const isRead = from === 0 && documents.length === all.length;
      const bodies = (isRead ? first : null) ?? (await this.deps.store.bodies(conversationId, names));
      if (bodies === null) throw new TurnBegan();
      if (next !== null && from + documentsAtOnce >= documents.length) this.readAhead.begin(next);
      yield bodies.map((one, at): SentDocument => Object.assign(one, { change: piece[at]?.change }));
    }
  }

  /** Finds out if an unanswered sending was done. */
  private async settleSending(conversationId: string): Promise<void> {
    const { store, server } = this.deps;
    const sending = await store.sending(conversationId);
    if (sending === null) return;
    const version = await server.versionOf(await this.connected(), conversationId, sending);
    if (version === null) await store.notSent(conversationId);
    else await store.sent(conversationId, version);
  }

  /** Work on one conversation, one piece after another. */
  private alone<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    const before = this.working.get(conversationId) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.working.set(conversationId, settled);
    void settled.then(() => {
      if (this.working.get(conversationId) === settled) this.working.delete(conversationId);
    });
    return done;
  }
}

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
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
