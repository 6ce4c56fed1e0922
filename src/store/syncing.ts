/** A store as the exchange with a server sees it. Documents are the rows of a session, a turn or a single message, in
 *  JSON; a conversation has a version that the server counts. Each call is one transaction. */
export interface SyncedStore {
  /** Begins to note changes. What is stored already is noted by `noteMore`. Does nothing the second time. */
  begin(): void;
  /** Notes everything of some conversations that were stored before the beginning. Until then they are not sent. False
   *  when all are noted. */
  noteMore(): boolean;
  /** The incarnation of this store that the server noted last, and the next one, which is kept until `connected`.
   *  `next`: a new random text, used if there is none. */
  connecting(origin: string, next: string): Incarnation;
  /** The server has noted this incarnation. Does nothing when another window said so before. */
  connected(origin: string, noted: string): void;
  /** Ends noting, and removes everything that belongs to a server. */
  end(): void;
  /** Conversations with changes that can be sent now: not private, not being made, without an open turn. */
  pending(): readonly string[];
  /** Changed documents, in the order of their changes. Null when there are none, or while a turn is open. */
  outgoing(conversationId: string): Outgoing | null;
  /** Returns the present content of these documents. Null while a turn is open. */
  bodies(conversationId: string, documents: readonly string[]): readonly SentDocument[] | null;
  /** Counts what is not on the server yet. */
  status(): WaitingChanges;
  /** Version of the server that the stored rows contain; 0 when they were never on it. */
  version(conversationId: string): number;
  /** The last versions that the stored rows went through, the newest first. */
  chain(conversationId: string): readonly ChainedVersion[];
  /** Names of the changed documents. */
  changed(conversationId: string): readonly string[];
  /** Names of the turns and single messages that are stored. */
  transcriptDocuments(conversationId: string): readonly string[];
  /** Notes what is about to be sent: the answer may get lost. */
  beginSending(conversationId: string, documents: readonly ChangedDocument[], tail: string): void;
  /** Tail of what was sent and not yet answered; null for nothing. */
  sending(conversationId: string): string | null;
  /** The server has what was sent, as this version. Documents that were changed again since stay changed. */
  sent(conversationId: string, version: number): void;
  /** The server does not have what was sent. */
  notSent(conversationId: string): void;
  /** What was read of the server; null before the first look. */
  read(): ReadState | null;
  /** Notes the heads that the server has, and up to which change they were read. `isAll`: the server has no others.
   *  `origin`: id of this store. False when those that are known are not what the server has. */
  noteHeads(heads: ServerHeads, origin: string, isAll: boolean): boolean;
  /** Conversations whose rows are of another head than the server's. */
  due(): readonly string[];
  /** Conversations that were forgotten here and are still on the server. */
  forgotten(): readonly Forgotten[];
  /** The server has erased the conversation, or knows that it is erased here. */
  forgottenThere(conversationId: string): void;
  /** True for a conversation that was forgotten, here or on another machine, and erased here. */
  isErased(conversationId: string): boolean;
  /** Erases a conversation that was forgotten on another machine, and notes its sessions for `copies` before. It stays
   *  due until `forgottenThere`. What was brought back by hand stays, under new ids. False while a turn is open.
   *  `known`: see `Forgotten`; null without a proof. */
  forget(conversationId: string, known: string | null): boolean;
  /** Sessions that `forget` erased, and of which copies outside this store may be left. */
  copies(): readonly ForgottenCopies[];
  /** Those of this conversation were erased, or cannot be. */
  copiesForgotten(conversationId: string): void;
  /** Moves a conversation to the trash that a server says was forgotten, without a proof. It is private from then on:
   *  nothing of it is sent or received again. `kept`: it was there already, or was taken out of it. `gone`: it is not
   *  stored here. */
  trashForgotten(conversationId: string, known: string | null): 'trashed' | 'kept' | 'gone' | 'busy';
  /** Writes what the server has. See `ReceiveOutcome`. */
  receive(input: Received): ReceiveOutcome;
}

export interface Forgotten {
  readonly conversationId: string;
  /** JSON of the version that this store had of it, with its tail; `{}` for none. */
  readonly known: string;
}

export interface ForgottenCopies {
  readonly conversationId: string;
  readonly sessionIds: readonly string[];
}

/** Numbered random texts that follow each other, one for each connection of a store. The server keeps the newest: a
 *  store that comes with another one has a copy, or is one, or was put back. If the server's has a lower number, it is
 *  the server that was put back. */
export interface Incarnation {
  /** Null for a store that was never connected under this id. */
  readonly before: string | null;
  readonly now: string;
}

/** Changes are compared within one generation only. */
export interface ReadState {
  /** A random id that a history gets when it begins. */
  readonly generation: string;
  /** Number of the last change that was read. */
  readonly changes: number;
  /** Of all heads of the server (`headsDigest`); null when more of them are to be read. */
  readonly digest: number | null;
}

/** What a server has of a history, from one moment. */
export interface ServerHeads extends ReadState {
  readonly heads: readonly ServerHead[];
}

/** The newest version of a conversation. */
interface ServerHead {
  readonly conversationId: string;
  readonly version: number;
  /** `erasedTail` for one that was forgotten; null for a version that was made before there were tails. */
  readonly tail: string | null;
  /** Id and name of the machine that made it; null when they are not known. */
  readonly origin: string | null;
  readonly machine: string | null;
}

export interface Outgoing {
  /** Version that the changes were made to. */
  readonly base: number;
  /** Its tail; null when there is no such version, or it was made before there were tails. */
  readonly baseTail: string | null;
  readonly documents: readonly ChangedDocument[];
}

/** One version of a conversation. Numbers may be given twice, by a server that lost its newest versions; tails are
 *  not. */
export interface ChainedVersion {
  readonly version: number;
  /** A random text that the machine which made the version gave it. */
  readonly tail: string;
}

export interface ChangedDocument {
  readonly document: string;
  /** Number of its newest change. */
  readonly change: number;
}

export interface SentDocument {
  readonly document: string;
  /** JSON; null when it has no rows any more. */
  readonly body: string | null;
  /** Number of the newest change that it contains for certain, where that is known. */
  readonly change?: number | undefined;
}

export interface WaitingChanges {
  /** Conversations that could be sent or erased now. */
  readonly conversations: number;
  /** Time of the oldest change in them, in seconds since the epoch. */
  readonly oldestAt: number | null;
  /** Those that a newer build continued on another machine: they can be read here, and wait for an update. */
  readonly newer: readonly string[];
}

export interface Received {
  readonly conversationId: string;
  readonly version: number;
  /** The newest version that both the server and the stored rows went through. */
  readonly base: number;
  /** Versions of the server after it, the newest first. */
  readonly chain: readonly ChainedVersion[];
  /** Documents that are newer than the store's version, and those that are changed here. All, when the base is older
   *  than the store's version. */
  readonly documents: readonly ServerDocument[];
  /** True when only a machine of this history can have written the documents. What any others would remove here is kept
   *  in the trash. */
  readonly isProven: boolean;
  /** Id of a branch, should one be needed of what no other machine has, and the name of this machine for its title. */
  readonly branchId: string;
  readonly machine: string;
}

export interface ServerDocument {
  readonly document: string;
  /** Version in which it was last changed; 0 when the server does not know it. */
  readonly version: number;
  readonly body: string | null;
}

/** forgotten: another machine erased the conversation, and so did this one. keptId: what the documents would have
 *  removed is in the trash, as this private session. received: the store has the server's version, and changes of its
 *  own that do not concern the transcript. branchId: both continued the transcript; what was added here is the branch
 *  with this id. busy: a turn is open; later. again: something changed here meanwhile; fetch again. */
export type ReceiveOutcome =
  'received' | 'busy' | 'again' | 'forgotten' | { readonly branchId: string } | { readonly keptId: string };

/** One call of a method of `SyncedStore` as data. */
export type SyncCall = {
  readonly [M in keyof SyncedStore]: { readonly method: M; readonly args: Parameters<SyncedStore[M]> };
}[keyof SyncedStore];
export type SyncResult = ReturnType<SyncedStore[keyof SyncedStore]>;

/** The same store in another thread. */
export type AsyncSyncedStore = {
  readonly [M in keyof SyncedStore]: (
    ...args: Parameters<SyncedStore[M]>
  ) => ReturnType<SyncedStore[M]> | Promise<ReturnType<SyncedStore[M]>>;
};

/** A synchronized store over one function that carries a call. */
export function promisedSync(call: (request: SyncCall) => Promise<SyncResult>): AsyncSyncedStore {
  return new Proxy({} as AsyncSyncedStore, {
    // It is no promise.
    get: (_store, method) =>
      method === 'then' ? undefined : (...args: unknown[]) => call({ method, args } as SyncCall),
  });
}

type SyncTable = {
  readonly [M in keyof SyncedStore]: (...args: Parameters<SyncedStore[M]>) => ReturnType<SyncedStore[M]>;
};

/** Makes a call that came as data. */
export function performSync<M extends keyof SyncedStore>(
  store: SyncedStore,
  { method, args }: { readonly method: M; readonly args: Parameters<SyncedStore[M]> },
): SyncResult {
  const table: SyncTable = store;
  return table[method](...args);
}
