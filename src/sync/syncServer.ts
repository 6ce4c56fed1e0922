import type { SentDocument, ServerDocument } from '../store/syncing';

/** A server that keeps conversations for several machines of one person. It orders the versions of a conversation, and knows
 *  nothing of what is in a document. Every call may fail, and a failed one may have been done. */
export interface SyncServer {
  /** Begins a connection of this machine. Calls of its earlier connections are refused from then on, also ones that are
   *  still on their way. `machine`: its name for the user. `last`: the highest number of a sending that the server has of this machine. */
  connect(origin: string, machine: string): Promise<Connected>;
  /** What other machines sent, in the order in which each of them sent it, after the positions that were read. */
  news(connection: Connection, positions: ReadonlyMap<string, number>): Promise<readonly News[]>;
  /** Documents newer than a version, and named ones, as they were at one moment. */
  fetch(connection: Connection, query: FetchQuery): Promise<Fetched>;
  /** May be called with documents that are sent soon, to do before what needs no connection. */
  prepareDocuments?(documents: readonly SentDocument[]): void;
  /** Sends changes that were made to a version. Done as a whole or not at all. */
  send(connection: Connection, sending: SentChanges): Promise<SendAnswer>;
  /** The last sending of this machine for a conversation that was done. */
  lastSent(connection: Connection, conversationId: string): Promise<LastSent | null>;
  /** Asks for the conversation, so that only this machine runs a turn in it. */
  lease(connection: Connection, conversationId: string): Promise<LeaseAnswer>;
  /** Extends a lease. False when it was lost. */
  renew(connection: Connection, conversationId: string, fence: number): Promise<boolean>;
  release(connection: Connection, conversationId: string, fence: number): Promise<void>;
  /** Erases a conversation for all machines. `number`: as of a sending. False when this machine has a newer connection. */
  erase(connection: Connection, conversationId: string, number: number): Promise<boolean>;
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
  readonly since: number;
  readonly documents: readonly string[];
}

export interface Fetched {
  readonly version: number;
  /** Newer documents, and every named one: with version 0 if the server does not know it. */
  readonly documents: readonly ServerDocument[];
  /** True when a machine forgot the conversation. */
  readonly isErased: boolean;
}

export interface SentChanges {
  readonly conversationId: string;
  /** Grows with each sending of this machine. */
  readonly number: number;
  readonly base: number;
  /** Fence of the lease that this machine holds; null for none. */
  readonly fence: number | null;
  /** Read while they are sent, again if need be. Nothing is sent when the reading throws; then the call throws the same. */
  readonly documents: () => AsyncIterable<readonly SentDocument[]>;
}

/** erased: another machine forgot the conversation. behind: another machine changed the conversation since. leased: another machine runs a turn in it. closed: this machine has
 *  a newer connection. */
export type SendAnswer =
  { readonly kind: 'done'; readonly version: number } | { readonly kind: 'behind' | 'leased' | 'closed' | 'erased' };

export interface LastSent {
  readonly number: number;
  readonly version: number;
}

/** `version`: the conversation's; what the turn must begin from. */
export type LeaseAnswer =
  | { readonly kind: 'granted'; readonly fence: number; readonly version: number }
  /** `holder`: name of the machine. */
  | { readonly kind: 'leased'; readonly holder: string };
