/** A store as the exchange with a server sees it. Documents are the rows of a session, a turn or a single message, in
 *  JSON; a conversation has a version that the server counts. Each call is one transaction. */
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
  /** The last versions that the stored rows went through, the newest first. */
  chain(conversationId: string): readonly ChainedVersion[];
  /** Names of the changed documents. */
  changed(conversationId: string): readonly string[];
  /** Names of the turns and single messages that are stored. */
  transcriptDocuments(conversationId: string): readonly string[];
  /** Notes what is about to be sent: the answer may get lost. */
  beginSending(conversationId: string, number: number, documents: readonly ChangedDocument[], tail: string): void;
  /** What was sent and not yet answered. */
  sending(conversationId: string): Sending | null;
  /** A number for the next sending, above all that were ever used. */
  nextNumber(atLeast: number): number;
  /** The highest number of which the server said that it has it; 0 for none. */
  confirmed(): number;
  /** The server has what was sent, as this version. Documents that were changed again since stay changed. */
  sent(conversationId: string, version: number): void;
  /** The server does not have what was sent. */
  notSent(conversationId: string): void;
  /** Called when the server has forgotten something of what it had. Notes every conversation as to be received that is
   *  there not as it is here, and lowers what is known of the server. */
  noteLoss(loss: ServerLoss): void;
  /** Positions up to which the log of each other machine was read. */
  positions(): ReadonlyMap<string, number>;
  /** Notes that these conversations are to be received, and the position that is read with it. */
  noteDue(origin: string, position: number, conversationIds: readonly string[]): void;
  /** Notes which machine continued these conversations last, by its name. */
  noteMachines(machines: readonly ContinuedThere[]): void;
  /** Conversations to be received. */
  due(): readonly string[];
  /** Conversations that were forgotten here and are still on the server. */
  forgotten(): readonly string[];
  /** Notes what is about to be erased on the server: the number is used. */
  beginErasing(number: number): void;
  /** The server has erased the conversation, or knows that it is erased here. `number`: of the erasing that it has
   *  done; null when another machine's was met. */
  forgottenThere(conversationId: string, number: number | null): void;
  /** True for a conversation that was forgotten, here or on another machine, and erased here. */
  isErased(conversationId: string): boolean;
  /** Erases a conversation that was forgotten on another machine. It stays due until `forgottenThere`. False while a
   *  turn is open in it. */
  forget(conversationId: string): boolean;
  /** Moves a conversation to the trash that a server says was forgotten, without a proof. It is private from then on:
   *  nothing of it is sent or received again. `kept`: it was there already, or was taken out of it. `gone`: it is not
   *  stored here. */
  trashForgotten(conversationId: string): 'trashed' | 'kept' | 'gone' | 'busy';
  /** Writes what the server has. See `ReceiveOutcome`. */
  receive(input: Received): ReceiveOutcome;
}

export interface ContinuedThere {
  readonly conversationId: string;
  readonly machine: string;
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

export interface ServerLoss {
  /** Every conversation that the server has. `tail`: of its newest version; null when it is not known. */
  readonly conversations: readonly (Omit<ChainedVersion, 'tail'> & {
    readonly conversationId: string;
    readonly tail: string | null;
  })[];
  /** Number of the last sending that it has of this machine. */
  readonly confirmed: number;
  /** Numbers of the last sendings that it has of other machines, of which more was read here. */
  readonly positions: ReadonlyMap<string, number>;
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

const methods = {
  begin: true,
  noteMore: true,
  end: true,
  pending: true,
  outgoing: true,
  bodies: true,
  status: true,
  version: true,
  chain: true,
  changed: true,
  transcriptDocuments: true,
  beginSending: true,
  sending: true,
  nextNumber: true,
  confirmed: true,
  noteLoss: true,
  sent: true,
  notSent: true,
  positions: true,
  noteDue: true,
  noteMachines: true,
  due: true,
  forgotten: true,
  beginErasing: true,
  forgottenThere: true,
  isErased: true,
  forget: true,
  trashForgotten: true,
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
