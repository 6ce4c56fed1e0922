import type { Chunk, Message, NewMessage } from '../transcript/message';
import type { DraftPart, DraftSurroundings, PromptDraft } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import { approvalMethods } from './approvalOperations';
import { copyingMethods } from './sessionCopying';
import { conversationMethods, spendingMethods, type PromptVersions } from './conversations';
import { fileChangeMethods } from './fileChanges';
import { importMethods } from './importing';
import { outboxMethods } from './outbox';
import type {
  ParentKind,
  QueuedPrompt,
  Session,
  SessionSummary,
  TitleSource,
  ReasoningEffort,
} from '../transcript/session';
import type { Part } from '../transcript/part';
import type { Finding } from '../transcript/rules/finding';
import type { RepairReason } from '../transcript/sequenceRepair';
import type { Settlement, Turn } from '../transcript/turn';
import { repairMethods } from './repairs';
import { storedRowMethods } from './storedRowQueries';
import type { Usage } from '../transcript/usage';
import { wireTextMethods } from './wireTexts';
import type { StoreSizes } from './storeSizes';
import type { SyncCall, SyncResult } from './syncing';
import { longRead, longWrite, maintenance, read, write, type Operations, type PromisedOperations } from './storeMethod';

/** All operations on stored sessions that the rest of the project may use, each with its effect. `SessionDb` implements
 *  them synchronously; through the worker every method returns a promise (`SessionStore`). One call is one transaction:
 *  when it returns (or resolves), its writes survive a power cut. Every method may throw a `StoreError`. An aborted
 *  long call rejects with the signal's reason: a search reads no further, a change is restored first. If it was already
 *  done, or can no longer be stopped, it resolves. `forgetSession` cannot be stopped, because erased rows are gone. */
export const storeMethods = {
  ...conversationMethods,
  ...copyingMethods,
  ...importMethods,
  ...outboxMethods,
  ...wireTextMethods,
  ...fileChangeMethods,
  ...approvalMethods,
  ...spendingMethods,
  ...repairMethods,
  ...storedRowMethods,
  // Sessions
  createSession: write<(input: NewSession) => Session>(),
  getSession: read<(sessionId: string) => Session | null>(),
  /** One entry per conversation, its newest segment; newest activity first (in the trash: trashed last first).
   *  Excludes sub-agents' sessions. A row that cannot be read is an entry that says so (`problem`). */
  listSessions: read<(query: SessionQuery) => readonly SessionSummary[]>(),
  /** Resolves an exact id, or the only session whose id begins with the text; null when none or several match. A
   *  session without rows resolves to the one that continues it: its continuation, or its only branch with rows. */
  resolveSessionId: read<(idOrPrefix: string) => string | null>(),
  /** Titles the whole conversation. An automatic title never replaces one of higher authority (derived < model <
   *  person). An automatic title that another conversation in the same tree of branches has gets a number (" #2").
   *  Returns true when the title was set. Throws `invalid`, with a sentence, for a title without a visible
   *  character, one over 200 characters, and a user's title that is taken in the tree. */
  setTitle: write<(sessionId: string, title: string, source: TitleSource) => boolean>(),
  setSessionModel: write<(sessionId: string, model: string | null) => void>(),
  /** Reasoning effort for the session's model, on all segments of its conversation. Null: not chosen there, a
   *  setting decides. A branch starts with null. */
  sessionEffort: read<(sessionId: string) => ReasoningEffort | null>(),
  setSessionEffort: write<(sessionId: string, effort: ReasoningEffort | null) => void>(),
  /** The first end reason wins. */
  endSession: write<(sessionId: string, reason: string) => void>(),
  /** Follows compression children to the newest segment. */
  conversationTip: read<(sessionId: string) => string>(),
  /** Ends a segment and starts the next one of its conversation in one transaction. The child begins with the
   *  handoff, followed by a copy (`carriedFrom`) of every active row after the last one that the handoff covers, so
   *  messages that arrived meanwhile are included. The parent keeps its rows; queued prompts, the draft and the open
   *  turn move to the child. Throws `conversation-busy` while a turn other than `turnUid` is open, and `invalid` for
   *  an ended parent, an empty handoff, or a border inside a group of calls and results. A repeated call returns
   *  what is stored. */
  compressSession: write<(input: CompressSession) => CompressedSession>(),
  // A turn, in the order of its lifecycle
  /** Inserts the user row and the turn row, and removes a queued prompt from the queue, in one transaction. Throws
   *  `conversation-busy` when the conversation has a running or waiting turn, and `invalid` for a compressed
   *  segment: the caller must read the tip first. With `replaces`, hides the rows of that settled turn and of every
   *  turn after it in the segment in the same transaction, as a version that `showVersion` can bring back; throws
   *  `invalid` when its prompt is not shown in the segment. A repeated call returns what is stored. */
  openTurn: longWrite<(input: OpenTurn) => { readonly turn: Turn; readonly userMessage: Message }>(),
  /** Stores delivered text. The first chunk of a message inserts its row. Chunks of a message arrive in order of
   *  `seq`. A repeated seq is ignored when its text is the same, and refused otherwise. */
  appendChunks: write<(batch: ChunkBatch) => void>(),
  /** Upserts whole messages by uid. Chunks of these messages are deleted (their text is in `parts`). A new row goes
   *  after the row in `after`; without it, to the end of its turn if that is settled, else to the end of its
   *  session. Returns the messages as stored. */
  putMessages: write<(messages: readonly PutMessage[]) => readonly Message[]>(),
  /** Makes the session's active rows a sequence that every provider accepts (`transcript/sequenceRepair.ts`), all or
   *  nothing. Survivors are rewritten under their uids with a revision of the old content, absorbed and dropped rows
   *  are hidden, open calls answered. Rows of an open turn stay, but its prompt may be absorbed by an earlier one.
   *  Returns an empty result when the sequence is valid. */
  repairTranscript: write<(sessionId: string) => TranscriptRepair>(),
  /** Moves a queued prompt into its conversation's running turn in one transaction: removes it from the queue and
   *  adds it to the end of the session as a user row of that turn under the prompt's uid. Null when the prompt is no
   *  longer queued. A repeated call returns what is stored. */
  steerTurn: write<(input: SteerTurn) => Message | null>(),
  addUsage: write<(turnUid: string, usage: Usage) => void>(),
  /** Closes a turn in one transaction: upserts `messages`, folds every remaining chunk of the turn, marks its
   *  messages final, answers open calls with `interrupted` results, adds the hidden closing row if no assistant row
   *  would end the turn, and settles the turn row. Idempotent: a settled turn is returned unchanged. */
  settleTurn: write<(input: SettleTurn) => SettledTurn>(),
  /** Settles turns that a dead process left running (stop reason `crash`). The owner calls it once after opening.
   *  Waiting turns stay, and so do the turns in `except`, which this process still runs. A sub-agent's waiting turn
   *  is settled too if its parent's turn is over: nothing takes its answer. */
  recoverTurns: maintenance<(except?: readonly string[]) => readonly SettledTurn[]>(),

  // Reading: one read transaction, chunks folded into the messages they belong to
  /** Active messages in order (shown, closing and handoff ones), as the model receives them. */
  activeMessages: read<(sessionId: string) => readonly Message[]>(),
  getMessage: read<(uid: string) => Message | null>(),
  /** Earlier contents of a message, one for each rewrite, oldest first. */
  revisionsOf: read<(messageUid: string) => readonly MessageRevision[]>(),
  getTurn: read<(uid: string) => Turn | null>(),
  /** The unsettled turn of the session's conversation, if there is one. */
  openTurnOf: read<(sessionId: string) => Turn | null>(),
  readTranscript: read<(query: TranscriptQuery) => TranscriptPage>(),
  /** Reads in one call everything that a prompt depends on before its turn is opened. `openTurn` checks again what
   *  may have changed since. `sessionId` null: only what is stored under the prompt's uid. `promptUid` null:
   *  nothing about a prompt. */
  promptContext: read<(sessionId: string | null, promptUid: string | null) => PromptContext>(),

  // Queue and drafts
  /** Adds a prompt to the end of the queue, or with `after` to the front, after those of the named prompts that are
   *  still queued. A prompt that is already queued keeps its place, and one that is already part of the transcript
   *  is not queued again. Returns the conversation's queue. */
  enqueue: write<(prompt: EnqueuePrompt) => readonly QueuedPrompt[]>(),
  queue: read<(sessionId: string) => readonly QueuedPrompt[]>(),
  queuedPrompt: read<(uid: string) => QueuedPrompt | null>(),
  /** Keeps the prompt's attachments; without any the text must not be empty. */
  editQueued: write<(uid: string, text: string) => readonly QueuedPrompt[]>(),
  removeQueued: write<(uid: string) => readonly QueuedPrompt[]>(),
  /** Moves a prompt to the front. */
  promoteQueued: write<(uid: string) => readonly QueuedPrompt[]>(),
  draft: read<(key: string) => string>(),
  draftParts: read<(key: string) => readonly DraftPart[]>(),
  /** Without `parts`, previously saved ones stay. An empty text without parts deletes the draft. Key: a session id,
   *  or "new" for the empty state. */
  setDraft: write<(key: string, text: string, parts?: readonly DraftPart[], around?: DraftSurroundings) => void>(),

  // Search
  /** Newest first. */
  search: longRead<(query: SearchQuery) => readonly SearchHit[]>(),

  // Small durable values
  getMeta: read<(key: string) => string | null>(),
  setMeta: maintenance<(key: string, value: string) => void>(),
  deleteMeta: maintenance<(key: string) => void>(),

  // Maintenance
  /** Indexes up to `rows` dirty rows; returns how many are left, counted up to a thousand. */
  indexBatch: maintenance<(rows: number) => number>(),
  checkpoint: maintenance<() => void>(),
  /** Runs SQLite's and the index's own integrity checks, and the rules over all sessions. Empty means that nothing was
   *  found; of one kind only the first findings are returned. */
  verifyIntegrity: read<() => readonly Finding[]>(),
  /** Runs the rules over the rows of a session's conversation. */
  checkSession: read<(sessionId: string) => readonly Finding[]>(),
  statistics: read<() => StoreStatistics>(),
  /** Bytes of the store, by session and by what takes them. */
  storeSizes: read<() => StoreSizes>(),
  /** A call of the exchange with a server. See `SyncedStore`; `promisedSync` offers it by method. */
  sync: maintenance<(call: SyncCall) => SyncResult>(),
};

export type SessionOperations = Operations<typeof storeMethods>;

export interface NewSession {
  /** Set by the caller so that a retried request cannot create two. */
  readonly id: string;
  readonly startedAt: number;
  readonly parentSessionId?: string | null;
  readonly parentKind?: ParentKind | null;
  /** Id of the parent's call that a sub-agent's session works on. */
  readonly delegatedBy?: string;
  readonly model?: string | null;
  readonly folder?: string | null;
  readonly title?: string | null;
  readonly titleSource?: TitleSource | null;
  /** True: memory providers get no events about it. A segment or branch inherits this from its parent. */
  readonly private?: boolean;
}

export interface CompressSession {
  readonly parentId: string;
  /** Set by the caller so that a repeated request cannot create two. */
  readonly childId: string;
  /** Summary for the model of everything up to `summarisedUpTo`. */
  readonly handoff: string;
  /** Size of the history before and after, in tokens; stored with the handoff for the surfaces. */
  readonly tokens?: HandoffTokens;
  /** Uid of the last active row that the handoff covers. */
  readonly summarisedUpTo: string;
  readonly now: number;
  /** The open turn that compresses its own history, if there is one. It continues in the child. */
  readonly turnUid?: string;
  /** Uid of an active prompt before the border, carried over unchanged and placed before the carried rows. Used for
   *  a turn that is cut in two. */
  readonly prompt?: string;
}

export interface CompressedSession {
  readonly session: Session;
  readonly handoff: Message;
  /** Rows that were carried over. */
  readonly carried: number;
}

export interface SessionQuery {
  readonly limit: number;
  readonly offset?: number;
  /** Default: active. */
  readonly state?: 'active' | 'archived' | 'trash';
  /** Words to find in title and preview. */
  readonly text?: string;
  /** True: only pinned ones. False: only the others. Default: both. */
  readonly pinned?: boolean;
  readonly withoutPrivate?: boolean;
  /** Only conversations whose newest segment was in this folder; "" for those in any. Default: all. */
  readonly folder?: string;
  /** Only entries listed after this one, the last entry of the previous page; not for the trash, which has another
   *  order. */
  readonly after?: Pick<SessionSummary, 'id' | 'lastActiveAt'>;
  /** Only the conversations of these sessions. */
  readonly sessionIds?: readonly string[];
  /** True to include sessions without a message. Default: false. */
  readonly includeEmpty?: boolean;
}

export interface MessageRevision {
  /** Seconds since the epoch: time of the replacement. */
  readonly revisedAt: number;
  readonly parts: readonly Part[];
}

export interface OpenTurn {
  readonly turnUid: string;
  readonly sessionId: string;
  readonly userMessage: NewMessage & { readonly role: 'user' };
  readonly model: string;
  readonly startedAt: number;
  readonly queuedUid?: string;
  /** The composer's draft from which the prompt was sent: it is removed from the draft in the same transaction. */
  readonly draft?: PromptDraft;
  /** Makes the prompt a new version of that turn's prompt; the turn must be settled and shown in the segment. */
  readonly replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' };
}

/** `after`: uid of the row directly after which a new row goes. If that row was carried into the new row's session,
 *  its copy there counts; if neither is in that session, `after` is ignored. */
export type PutMessage = NewMessage & { readonly behind?: string };

export interface SteerTurn {
  readonly turnUid: string;
  readonly sessionId: string;
  readonly queuedUid: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

export interface EnqueuePrompt extends QueuedPrompt {
  /** As for `OpenTurn`. */
  readonly draft?: PromptDraft;
  readonly after?: readonly string[];
}

export interface ChunkBatch {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly model: string;
  readonly createdAt: number;
  readonly chunks: readonly Chunk[];
}

export interface SettleTurn {
  readonly turnUid: string;
  readonly settledAt: number;
  readonly settlement: Settlement;
  readonly messages: readonly NewMessage[];
}

export interface SettledTurn {
  readonly turn: Turn & { readonly state: 'settled' };
  /** The turn's messages as stored, chunks folded. */
  readonly messages: readonly Message[];
}

export interface TranscriptRepair {
  /** Every changed row as stored: survivors, made results, hidden rows. Empty when no repair was needed. */
  readonly messages: readonly Message[];
  /** Reasons, one for each row that was hidden or made. */
  readonly reasons: readonly RepairReason[];
}

export interface TranscriptQuery {
  /** Any segment: the transcript is that of the conversation, with every message once. */
  readonly sessionId: string;
  readonly limit: number;
  /** Pages backwards: messages before this position. Default: the newest page. */
  readonly before?: number;
  readonly after?: number;
  /** True to include hidden and closing rows (the transcript tab). */
  readonly includeHidden?: boolean;
  /** False leaves `later` and `total` at 0: counting reads the whole session, too slow for a caller that reads every
   *  page. Default: true. */
  readonly isCounted?: boolean;
}

export interface TranscriptPage {
  readonly messages: readonly Message[];
  /** Every turn of this page's messages. */
  readonly turns: readonly Turn[];
  /** Versions of this page's prompts, as returned by `promptVersions`. */
  readonly versions: readonly PromptVersions[];
  readonly hasEarlier: boolean;
  /** Number of transcript rows after this page. */
  readonly later: number;
  readonly total: number;
}

export interface PromptContext {
  /** The newest segment of the session's conversation; null where the session is not stored. */
  readonly session: Session | null;
  /** The conversation is a sub-agent's. */
  readonly isSubAgent: boolean;
  /** Result of `openTurnOf`. */
  readonly openTurn: Turn | null;
  /** Tokens of the newest segment's active rows, as `contextUse` says. Null where the session is not stored. */
  readonly historyTokens: number | null;
  /** The prompt, where it is part of a transcript already. */
  readonly message: Message | null;
  /** The prompt, where it is queued already. */
  readonly queued: QueuedPrompt | null;
}

export interface SearchQuery {
  readonly text: string;
  readonly limit: number;
  /** Hits to skip, for a further page. */
  readonly offset?: number;
  /** Only the conversation of this session, or of these. */
  readonly sessionId?: string;
  readonly sessionIds?: readonly string[];
  /** words: from the index, at once · substring: the text anywhere, read row by row. Default: the index first, and a
   *  scan when it finds nothing. Text that the index cannot answer (scripts without spaces, punctuation) is always
   *  scanned. */
  readonly kind?: 'words' | 'substring';
}

export interface SearchHit {
  readonly sessionId: string;
  readonly conversationId: string;
  readonly position: number;
  readonly sessionTitle: string | null;
  readonly messageUid: string;
  readonly role: Message['role'];
  readonly createdAt: number;
  /** Plain text around the hit; `matches` are its UTF-16 ranges. */
  readonly snippet: string;
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

interface StoreStatistics {
  readonly sessions: number;
  readonly messages: number;
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly dirtyRows: number;
}

/** The store for every floor above. */
export interface SessionStore extends PromisedOperations<typeof storeMethods> {
  /** Checkpoints, closes and releases ownership. Safe to call twice. */
  close(): Promise<void>;
}
