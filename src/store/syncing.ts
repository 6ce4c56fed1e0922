/** A store as the exchange with a server sees it. Documents are the rows of a session, a turn or a single message, in JSON; a
 *  conversation has a version that the server counts. Each call is one transaction. */
export interface SyncedStore {
  /** Begins to note changes. What is stored already is noted by `noteMore`. Does nothing the second time. */
  begin(): void;
  /** Notes everything of some conversations that were stored before the beginning. Until then they are not sent. False
   *  when all are noted. */
  noteMore(): boolean;
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
  /** Names of the changed documents. */
  changed(conversationId: string): readonly string[];
  /** Notes what is about to be sent: the answer may get lost. */
  beginSending(conversationId: string, number: number, documents: readonly ChangedDocument[]): void;
  /** What was sent and not yet answered. */
  sending(conversationId: string): Sending | null;
  /** A number for the next sending, above all that are still unanswered. */
  nextNumber(atLeast: number): number;
  /** The server has what was sent, as this version. Documents that were changed again since stay changed. */
  sent(conversationId: string, version: number): void;
  /** The server does not have what was sent. */
  notSent(conversationId: string): void;
  /** Positions up to which the log of each other machine was read. */
  positions(): ReadonlyMap<string, number>;
  /** Notes that these conversations are to be received, and the position that is read with it. */
  noteDue(origin: string, position: number, conversationIds: readonly string[]): void;
  /** Conversations to be received. */
  due(): readonly string[];
  /** Conversations that were forgotten here and are still on the server. */
  forgotten(): readonly string[];
  /** The server has erased the conversation. */
  forgottenThere(conversationId: string): void;
  /** Erases a conversation that was forgotten on another machine. False while a turn is open in it. */
  forget(conversationId: string): boolean;
  /** Writes what the server has. See `ReceiveOutcome`. */
  receive(input: Received): ReceiveOutcome;
}

export interface Outgoing {
  /** Version that the changes were made to. */
  readonly base: number;
  readonly documents: readonly ChangedDocument[];
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
}

export interface WaitingChanges {
  /** Conversations that could be sent or erased now. */
  readonly conversations: number;
  /** Time of the oldest change in them, in seconds since the epoch. */
  readonly oldestAt: number | null;
}

export interface Sending {
  readonly number: number;
}

export interface Received {
  readonly conversationId: string;
  readonly version: number;
  /** Documents that are newer than the store's version, and those that are changed here. */
  readonly documents: readonly ServerDocument[];
  /** Id of a branch, should one be needed, and the name of this machine for its title. */
  readonly branchId: string;
  readonly machine: string;
}

export interface ServerDocument {
  readonly document: string;
  /** Version in which it was last changed; 0 when the server does not know it. */
  readonly version: number;
  readonly body: string | null;
}

/** forgotten: another machine erased the conversation, and so did this one. received: the store has the server's version, and changes of its own that do not concern the transcript. divided: both
 *  continued the transcript; what was added here is a branch. busy: a turn is open; later. again: something changed here
 *  meanwhile; fetch again. */
export type ReceiveOutcome = 'received' | 'divided' | 'busy' | 'again' | 'forgotten';

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

const methods = {
  begin: true,
  noteMore: true,
  end: true,
  pending: true,
  outgoing: true,
  bodies: true,
  status: true,
  version: true,
  changed: true,
  beginSending: true,
  sending: true,
  nextNumber: true,
  sent: true,
  notSent: true,
  positions: true,
  noteDue: true,
  due: true,
  forgotten: true,
  forgottenThere: true,
  forget: true,
  receive: true,
} satisfies Record<keyof SyncedStore, true>;

/** A synchronized store over one function that carries a call. */
export function promisedSync(call: (request: SyncCall) => Promise<SyncResult>): AsyncSyncedStore {
  const forwards = Object.keys(methods).map((method) => [
    method,
    (...args: unknown[]) => call({ method, args } as SyncCall),
  ]);
  return Object.fromEntries(forwards) as AsyncSyncedStore;
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
