import type { AsyncSyncedStore, ChangedDocument, Outgoing, ReceiveOutcome, SentDocument } from '../store/syncing';
import { documentsAtOnce, FetchAhead, ReadAhead } from './readAhead';
import { StoreError } from '../store/storeError';
import { syncFailureIn } from './syncFailure';
import type { Connected, News, SendAnswer, SyncServer } from './syncServer';

interface SyncRoundDeps {
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
  /** Called after the rows of a conversation came from another machine. `branchId`: set when both machines continued
   *  it, and what was added here became a branch. */
  readonly onReceived?: (conversationId: string, branchId: string | null) => Promise<void> | void;
  /** Called when the server removed what this machine has, without a proof that a machine of the history did. */
  readonly onRemoved?: (conversationId: string, kept: KeptRemoval) => void;
}

/** `session`: the whole session is in the trash now. `copy`: the session as it was is there, as a private one.
 *  `refused`: everything is here as it was. */
export type KeptRemoval = 'session' | 'copy' | 'refused';

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
  private connection: Promise<Connected> | null = null;
  private lastNumber = 0;
  /** The highest number of which the server said, over this connection, that it has it. */
  private confirmed = 0;
  /** Conversations that failed, and the rounds that leave them out. */
  private readonly paused = new Map<string, { readonly error: unknown; readonly rounds: number; left: number }>();
  private readonly working = new Map<string, Promise<unknown>>();
  private readonly readAhead: ReadAhead;
  private readonly fetchAhead: FetchAhead;
  /** The store notes what the server has taken, while the next conversation is sent. */
  private noting: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: SyncRoundDeps) {
    this.readAhead = new ReadAhead(deps);
    this.fetchAhead = new FetchAhead(deps);
  }

  /** Continues after a conversation that fails, and throws the error at the end. Returns those that were refused: all
   *  others were exchanged. Ends early, between two conversations, when the signal is aborted. */
  async run(signal?: AbortSignal): Promise<readonly RefusedConversation[]> {
    const { store } = this.deps;
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
          if (isOfOneConversation(error)) this.pause(id, error);
          else failures.push(error);
        }
        // The others would fail as well.
        if (failures.length >= attempts) return;
      }
    };
    const forgotten = await store.forgotten();
    for (const id of forgotten) this.paused.delete(id);
    await each(forgotten, (id) => this.alone(id, () => this.eraseThere(id)));
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

  /** Brings a conversation to the server's version. */
  receive(conversationId: string): Promise<ReceiveOutcome> {
    return this.alone(conversationId, () => this.receiveAlone(conversationId, null));
  }

  /** The first call of a connection: from then on, nothing that an earlier one sent can still arrive. */
  connected(): Promise<Connected> {
    this.connection ??= this.connect();
    return this.connection;
  }

  private async connect(): Promise<Connected> {
    const { store, server, origin, machine } = this.deps;
    const connected = await server.connect(origin, machine);
    this.lastNumber = Math.max(this.lastNumber, connected.last);
    this.confirmed = connected.last;
    if (connected.last < (await store.confirmed())) await this.noteLoss(connected, new Map([[origin, connected.last]]));
    return connected;
  }

  /** The server is a copy that lags behind the one which failed, or was restored from a backup. */
  private async noteLoss(connected: Connected, lost: ReadonlyMap<string, number>): Promise<void> {
    const { store, server, origin } = this.deps;
    const conversations = await server.summary(connected);
    const confirmed = lost.get(origin) ?? (await store.confirmed());
    await store.noteLoss({ conversations, positions: lost, confirmed });
    this.confirmed = Math.min(this.confirmed, confirmed);
  }

  /** `next`: fetched already while this one is written. */
  private async receiveAlone(conversationId: string, next: string | null): Promise<ReceiveOutcome> {
    const { store, server, machine, newId, onReceived } = this.deps;
    const connection = await this.connected();
    await this.settleSending(conversationId);
    let outcome: ReceiveOutcome = 'again';
    for (let attempt = 0; attempt < attempts && outcome === 'again'; attempt++) {
      const since = await store.version(conversationId);
      const chain = await store.chain(conversationId);
      const documents = await store.changed(conversationId);
      const query = { conversationId, since, chain, documents };
      const {
        isErased,
        isProven = false,
        refused = [],
        ...fetched
      } = (await this.fetchAhead.take(query)) ?? (await server.fetch(connection, query));
      if (next !== null) this.fetchAhead.begin(connection, next);
      const branchId = newId();
      if (isErased) outcome = await this.eraseHere(connection, conversationId, isProven);
      else if (await store.isErased(conversationId)) return this.eraseAgain(conversationId);
      else outcome = await store.receive({ conversationId, ...fetched, isProven, branchId, machine });
      const [branch, copy] = [branchOf(outcome), typeof outcome === 'object' && 'keptId' in outcome];
      const isNew = fetched.version !== since && outcome !== 'busy' && outcome !== 'again';
      if (isNew) await onReceived?.(conversationId, branch);
      if (copy) this.deps.onRemoved?.(conversationId, 'copy');
      if (isNew && refused.length > 0) await this.noteRefused(conversationId, refused);
    }
    return outcome;
  }

  private async readNews(): Promise<void> {
    const { store, server } = this.deps;
    const connection = await this.connected();
    const byOrigin = new Map<string, { position: number; ids: string[] }>();
    const newest = new Map<string, News>();
    const { origin: own } = this.deps;
    const found = await server.news(
      connection,
      new Map([...(await store.positions()), [own, await store.confirmed()]]),
    );
    if (found.lost.size > 0) await this.noteLoss(connection, found.lost);
    for (const news of found.news) {
      const { origin, position, conversationId } = news;
      if ((newest.get(conversationId)?.version ?? 0) <= news.version) newest.set(conversationId, news);
      const known = byOrigin.get(origin) ?? { position, ids: [] };
      byOrigin.set(origin, { position: Math.max(known.position, position), ids: [...known.ids, conversationId] });
    }
    for (const [origin, { position, ids }] of byOrigin) await store.noteDue(origin, position, ids);
    if (newest.size > 0) await store.noteMachines([...newest.values()]);
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
      if (answer.kind === 'done') {
        this.confirmed = Math.max(this.confirmed, answer.number);
        return this.noteSent(conversationId, answer.version);
      }
      await store.notSent(conversationId);
      // A call of an earlier connection arrived late, or a copy of this store is connected too.
      if (answer.kind === 'closed') this.connection = null;
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

  /** Null when a turn began here meanwhile: then nothing was sent. `number`: of the sending. */
  private async sendOnce(
    conversationId: string,
    outgoing: Outgoing,
    next: string | null,
  ): Promise<(SendAnswer & { readonly number: number }) | null> {
    const { store, server, fenceOf, newId } = this.deps;
    const { base, baseTail, documents } = outgoing;
    const random = newId().slice(0, tailLength);
    const tail = server.tailOf?.({ conversationId, base, baseTail, random }) ?? random;
    const first = await this.readAhead.take(conversationId, outgoing);
    const connection = await this.connected();
    const number = await store.nextNumber(this.lastNumber);
    this.lastNumber = number;
    const noted = store.beginSending(conversationId, number, documents, tail);
    if (next !== null && first !== null && documents.length <= documentsAtOnce) this.readAhead.begin(next);
    await noted;
    try {
      const answer = await server.send(connection, {
        conversationId,
        number,
        confirmed: this.confirmed,
        base,
        baseTail,
        tail,
        fence: fenceOf(conversationId),
        documents: () => this.bodies(conversationId, documents, first, next),
      });
      return { ...answer, number };
    } catch (error) {
      if (!(error instanceof TurnBegan)) throw error;
      await store.notSent(conversationId);
      return null;
    }
  }

  private async eraseThere(conversationId: string): Promise<void> {
    const { store, server } = this.deps;
    const connection = await this.connected();
    const number = await store.nextNumber(this.lastNumber);
    this.lastNumber = number;
    await store.beginErasing(number);
    if (await server.erase(connection, { conversationId, number, confirmed: this.confirmed })) {
      this.confirmed = Math.max(this.confirmed, number);
      await store.forgottenThere(conversationId, number);
    } else this.connection = null;
  }

  /** The server lost that the conversation was forgotten. */
  private async eraseAgain(conversationId: string): Promise<'forgotten'> {
    await this.eraseThere(conversationId);
    return 'forgotten';
  }

  /** Machines without the documents that an earlier build removed have nothing to keep. */
  private async noteRefused(conversationId: string, refused: readonly string[]): Promise<void> {
    const here = new Set(await this.deps.store.transcriptDocuments(conversationId));
    if (refused.some((document) => here.has(document))) this.deps.onRemoved?.(conversationId, 'refused');
  }

  /** The conversation stays due until the server knows that it is erased here. What no machine of the history has
   *  proven erases nothing, and is not repeated to the server, where it would be proven. */
  private async eraseHere(
    connection: Connected,
    conversationId: string,
    isProven: boolean,
  ): Promise<'forgotten' | 'busy'> {
    const { store, server, onRemoved } = this.deps;
    if (!isProven) {
      const done = await store.trashForgotten(conversationId);
      if (done === 'busy') return 'busy';
      if (done === 'trashed') onRemoved?.(conversationId, 'session');
      if (done === 'gone') await server.confirmErased(connection, conversationId);
      return 'forgotten';
    }
    if (!(await store.forget(conversationId))) return 'busy';
    await server.confirmErased(connection, conversationId);
    await store.forgottenThere(conversationId, null);
    return 'forgotten';
  }

  /** What the documents hold, piece by piece. Throws when a turn begins: a transcript is sent as it is between two
   *  turns. `first`: the first piece, if it was read. `next`: the conversation to be read when this one was. */
  private async *bodies(
    conversationId: string,
    documents: readonly ChangedDocument[],
    first: readonly SentDocument[] | null,
    next: string | null,
  ): AsyncGenerator<readonly SentDocument[]> {
    for (let from = 0; from < documents.length; from += documentsAtOnce) {
      const names = documents.slice(from, from + documentsAtOnce).map(({ document }) => document);
      const bodies = from === 0 && first !== null ? first : await this.deps.store.bodies(conversationId, names);
      if (bodies === null) throw new TurnBegan();
      if (next !== null && from + documentsAtOnce >= documents.length) this.readAhead.begin(next);
      yield bodies;
    }
  }

  /** Finds out if an unanswered sending was done. */
  private async settleSending(conversationId: string): Promise<void> {
    const { store, server } = this.deps;
    const sending = await store.sending(conversationId);
    if (sending === null) return;
    const last = await server.lastSent(await this.connected(), conversationId);
    if (last?.number === sending.number) await store.sent(conversationId, last.version);
    else await store.notSent(conversationId);
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
