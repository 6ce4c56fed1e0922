import type {
  ChainedVersion,
  ChangedDocument,
  Incarnation,
  SentDocument,
  ServerDocument,
  ServerHeads,
} from '../../../store/syncing';

/** Bytes of the longest body that is inflated: a small one must not fill the memory. */
export const longestBody = 2 ** 28;

/** Begins every encrypted body, of whatever version. */
export const sealedBody = /^hermes\d+:/;

/** A server that keeps conversations for several machines of one person. It orders the versions of a conversation, and
 *  knows nothing of what is in a document. Every call may fail, and a failed one may have been done. */
export interface SyncServer {
  /** Makes this machine known, and begins the history where there is none. `machine`: its name for the user. Throws
   *  `twin` when another store was made known under this id since. A server that was put back knows an earlier
   *  incarnation. `incarnation`: default, one that is not asked. */
  connect(origin: string, machine: string, incarnation?: Incarnation): Promise<Connection>;
  /** Conversations that changed after a change of the history that was read, whoever changed them, in the order of
   *  their changes. Null for all. */
  news(connection: Connection, after: number | null): Promise<ServerHeads>;
  /** Documents newer than a version, and named ones, as they were at one moment. Null when more is to come: what has
   *  arrived is kept, and the next call goes on. */
  fetch(connection: Connection, query: FetchQuery): Promise<Fetched | null>;
  /** May be called with documents that are sent soon, to do before what needs no connection. */
  prepareDocuments?(documents: readonly SentDocument[]): void;
  /** Makes the tail of a version, which says whose it is and what came before it. Default: the random text. */
  tailOf?(made: MadeVersion): string;
  /** Sends changes that were made to a version. Done as a whole or not at all. */
  send(connection: Connection, sending: SentChanges): Promise<SendAnswer>;
  /** The version with this tail; null when the server does not have it. */
  versionOf(connection: Connection, conversationId: string, tail: string): Promise<number | null>;
  /** Asks for the conversation, so that only this machine runs a turn in it. `query`: what is wanted of it along.
   *  Throws `twin` when the server noted another incarnation since: `connect` tells if it was that of another store. */
  lease(connection: Connection, conversationId: string, query?: FetchQuery): Promise<LeaseAnswer>;
  /** Extends a lease. False when it was lost. */
  renew(connection: Connection, conversationId: string, fence: number): Promise<boolean>;
  release(connection: Connection, conversationId: string, fence: number): Promise<void>;
  /** Erases a conversation for all machines. */
  erase(connection: Connection, erasing: Erasing): Promise<void>;
  /** Tells that this machine has erased a conversation which was forgotten. */
  confirmErased(connection: Connection, conversationId: string): Promise<void>;
  /** Counts what the server has of this history. */
  overview(): Promise<ServerOverview>;
}

export interface ServerOverview {
  readonly conversations: number;
  readonly documents: number;
  readonly bytes: number;
  readonly machines: readonly ServerMachine[];
}

export interface ServerMachine {
  readonly origin: string;
  readonly name: string;
  /** Time of its last connection or sending, by the server's clock, in seconds since the epoch. */
  readonly seenAt: number;
  /** Number of forgotten sessions that it has not confirmed to have erased. */
  readonly unerased: number;
}

export interface Connection {
  readonly origin: string;
  /** What the server noted of it. Default: nothing. */
  readonly incarnation?: string;
  /** True when the server had noted it before: by an answer that got lost, or for a copy of this store. */
  readonly isRepeated?: boolean;
}

export interface FetchQuery {
  readonly conversationId: string;
  /** Version that the machine's rows are of; 0 for none. */
  readonly since: number;
  /** The last versions that they went through, the newest first. */
  readonly chain: readonly ChainedVersion[];
  readonly documents: readonly string[];
  /** True to be given all of it by one call, beside what arrives in several. Default: false. */
  readonly isWhole?: boolean;
}

export interface Fetched {
  readonly version: number;
  /** The newest version of the machine's that the server's went through too; 0 for none. */
  readonly base: number;
  /** Versions after it, the newest first, as far as they are remembered. */
  readonly chain: readonly ChainedVersion[];
  /** Newer documents than `since`, and every named one: with version 0 if the server does not know it. All documents
   *  when the base is another version. */
  readonly documents: readonly ServerDocument[];
  /** True when a machine forgot the conversation. */
  readonly isErased: boolean;
  /** True when only a machine of this history can have written the documents, or forgotten the conversation. Default:
   *  false. */
  readonly isProven?: boolean;
  /** Documents that were removed without a proof, as far as one is asked for: they are not among `documents`. */
  readonly refused?: readonly string[];
}

/** A version that is about to be sent. `random`: a new text. */
export interface MadeVersion {
  readonly conversationId: string;
  readonly base: number;
  readonly baseTail: string | null;
  readonly random: string;
}

export interface SentChanges {
  readonly conversationId: string;
  readonly base: number;
  /** Tail of the base; null when there is none. */
  readonly baseTail: string | null;
  /** A new random text, for the version that this becomes. */
  readonly tail: string;
  /** Fence of the lease that this machine holds; null for none. */
  readonly fence: number | null;
  /** Description of the key that encrypts the documents; null when none is known here. A server that has none keeps it.
   *  Default: the documents are not encrypted, and an encrypted history refuses them. */
  readonly sealedWith?: string | null;
  /** Numbers of the documents' changes. Without them, what is longer than a page is sent from its start again. */
  readonly changes?: readonly ChangedDocument[];
  /** Read while they are sent, again if need be. Nothing becomes the conversation's when the reading throws; then the
   *  call throws the same. `known`: documents that need not be read, with the changes that they contain. */
  readonly documents: (known?: ReadonlyMap<string, number>) => AsyncIterable<readonly SentDocument[]>;
}

/** erased: another machine forgot the conversation. behind: another machine changed the conversation since. leased:
 *  another machine runs a turn in it. more: a part is there, which nobody sees; the next call goes on. */
export type SendAnswer =
  { readonly kind: 'done'; readonly version: number } | { readonly kind: 'behind' | 'leased' | 'erased' | 'more' };

export interface Erasing {
  readonly conversationId: string;
  /** What the machine had of it that forgot it: see `Forgotten`. A server does not keep it as it is. Default: `{}`. */
  readonly known?: string;
  /** The same, encrypted. Kept as the document `erasedDocument`: proves to other machines that one of them did it.
   *  Default: none. */
  readonly proof?: string;
}

/** Name of what is left of a conversation that was forgotten. */
export const erasedDocument = 'erased';

/** `version`: the conversation's; what the turn must begin from. `fetched`: what was wanted along, unless it is more
 *  than a page. */
export type LeaseAnswer =
  | { readonly kind: 'granted'; readonly fence: number; readonly version: number; readonly fetched?: Fetched | null }
  /** `holder`: name of the machine. */
  | { readonly kind: 'leased'; readonly holder: string };

/** All pages of what is asked for. */
export async function fetchWhole(
  server: Pick<SyncServer, 'fetch'>,
  connection: Connection,
  query: FetchQuery,
): Promise<Fetched> {
  for (;;) {
    const fetched = await server.fetch(connection, query);
    if (fetched !== null) return fetched;
  }
}

/** What was fetched, after `open`. */
export async function whenThere(
  fetched: Fetched | null,
  open: (fetched: Fetched) => Promise<Fetched>,
): Promise<Fetched | null> {
  return fetched === null ? null : open(fetched);
}

/** A lease with what came along, after `open`. What cannot be opened is fetched again, to fail by itself. */
export async function withFetched(
  answer: LeaseAnswer,
  open: (fetched: Fetched) => Promise<Fetched>,
): Promise<LeaseAnswer> {
  if (answer.kind === 'leased' || answer.fetched === undefined) return answer;
  return { ...answer, fetched: await whenThere(answer.fetched, open).catch(() => null) };
}

/** Closes the server after the work. */
export async function withServer<S extends { dispose(): Promise<void> }, T>(
  server: S,
  work: (server: S) => Promise<T>,
): Promise<T> {
  try {
    return await work(server);
  } finally {
    void server.dispose();
  }
}
