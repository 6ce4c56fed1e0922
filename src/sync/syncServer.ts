import type { ChainedVersion, SentDocument, ServerDocument } from '../store/syncing';

/** Bytes of the longest body that is inflated: a small one must not fill the memory. */
export const longestBody = 2 ** 28;

/** A server that keeps conversations for several machines of one person. It orders the versions of a conversation, and
 *  knows nothing of what is in a document. Every call may fail, and a failed one may have been done. */
export interface SyncServer {
  /** Begins a connection of this machine. Calls of its earlier connections are refused from then on, also ones that are
   *  still on their way. `machine`: its name for the user. `last`: the highest number of a sending that the server has
   *  of this machine. */
  connect(origin: string, machine: string): Promise<Connected>;
  /** What other machines have sent since the positions that were read, in the order in which each of them sent it. The
   *  position of this machine is the highest number that was confirmed. */
  news(connection: Connection, positions: ReadonlyMap<string, number>): Promise<NewsAnswer>;
  /** Every conversation, erased ones too, and its newest version. */
  summary(connection: Connection): Promise<readonly SummaryRow[]>;
  /** Documents newer than a version, and named ones, as they were at one moment. */
  fetch(connection: Connection, query: FetchQuery): Promise<Fetched>;
  /** May be called with documents that are sent soon, to do before what needs no connection. */
  prepareDocuments?(documents: readonly SentDocument[]): void;
  /** Makes the tail of a version, which says whose it is and what came before it. Default: the random text. */
  tailOf?(made: MadeVersion): string;
  /** Sends changes that were made to a version. Done as a whole or not at all. */
  send(connection: Connection, sending: SentChanges): Promise<SendAnswer>;
  /** The last sending of this machine for a conversation that was done. */
  lastSent(connection: Connection, conversationId: string): Promise<LastSent | null>;
  /** Asks for the conversation, so that only this machine runs a turn in it. */
  lease(connection: Connection, conversationId: string): Promise<LeaseAnswer>;
  /** Extends a lease. False when it was lost. */
  renew(connection: Connection, conversationId: string, fence: number): Promise<boolean>;
  release(connection: Connection, conversationId: string, fence: number): Promise<void>;
  /** Erases a conversation for all machines. False when the connection is closed, as for a sending. */
  erase(connection: Connection, erasing: Erasing): Promise<boolean>;
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
  /** Number of its last sending. */
  readonly last: number;
  /** Time of its last connection or sending, by the server's clock, in seconds since the epoch. */
  readonly seenAt: number;
  /** Number of forgotten sessions that it has not confirmed to have erased. */
  readonly unerased: number;
}

export interface Connection {
  readonly origin: string;
  /** Number of this machine's connection. */
  readonly writer: number;
}

export interface Connected extends Connection {
  readonly last: number;
}

/** `lost`: machines of which the server has less than their position, and the number of the last sending that it has of
 *  each. */
export interface NewsAnswer {
  readonly news: readonly News[];
  readonly lost: ReadonlyMap<string, number>;
}

/** `tail`: of its newest version; null when that was made before there were tails. */
export interface SummaryRow {
  readonly conversationId: string;
  readonly version: number;
  readonly tail: string | null;
}

export interface News {
  readonly origin: string;
  /** Name of that machine. */
  readonly machine: string;
  /** Version of the conversation that it sent. */
  readonly version: number;
  readonly position: number;
  readonly conversationId: string;
}

export interface FetchQuery {
  readonly conversationId: string;
  /** Version that the machine's rows are of; 0 for none. */
  readonly since: number;
  /** The last versions that they went through, the newest first. */
  readonly chain: readonly ChainedVersion[];
  readonly documents: readonly string[];
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
  /** Grows with each sending of this machine. */
  readonly number: number;
  /** The highest number of which the server said that it has it. */
  readonly confirmed: number;
  readonly base: number;
  /** Tail of the base; null when there is none. */
  readonly baseTail: string | null;
  /** A new random text, for the version that this becomes. */
  readonly tail: string;
  /** Fence of the lease that this machine holds; null for none. */
  readonly fence: number | null;
  /** Read while they are sent, again if need be. Nothing is sent when the reading throws; then the call throws the
   *  same. */
  readonly documents: () => AsyncIterable<readonly SentDocument[]>;
}

/** erased: another machine forgot the conversation. behind: another machine changed the conversation since. leased:
 *  another machine runs a turn in it. closed: this machine has a newer connection or sent a higher number, or the
 *  server lost what it said it has. */
export type SendAnswer =
  { readonly kind: 'done'; readonly version: number } | { readonly kind: 'behind' | 'leased' | 'closed' | 'erased' };

export interface Erasing {
  readonly conversationId: string;
  /** As of a sending. */
  readonly number: number;
  readonly confirmed: number;
  /** Kept as the document `erasedDocument`: proves to other machines that one of them did it. Default: none. */
  readonly proof?: string;
}

/** Name of what is left of a conversation that was forgotten. */
export const erasedDocument = 'erased';

export interface LastSent {
  readonly number: number;
  readonly version: number;
}

/** `version`: the conversation's; what the turn must begin from. */
export type LeaseAnswer =
  | { readonly kind: 'granted'; readonly fence: number; readonly version: number }
  /** `holder`: name of the machine. */
  | { readonly kind: 'leased'; readonly holder: string };
