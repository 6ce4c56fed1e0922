import type { AssistantMessage, Chunk, Message, NewMessage } from '../transcript/message';
import type { DraftPart, DraftSurroundings, PromptDraft } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { ApprovalOperations } from './approvals';
import type { BringingOver } from './bringingOver';
import type {
  BranchedSession,
  BranchSession,
  ConversationOperations,
  ForgottenSessions,
  PromptVersions,
  RewindSession,
  RewoundSession,
  ShowVersion,
} from './conversations';
import type { FileChangeOperations } from './fileChanges';
import type { Outbox } from './outbox/outbox';
import type { ParentKind, QueuedPrompt, Session, SessionSummary, TitleSource } from '../transcript/session';
import type { Part } from '../transcript/part';
import type { ReasoningEffort } from '../transcript/reasoningEffort';
import type { RepairReason } from '../transcript/sequenceRepair';
import type { Settlement, Turn } from '../transcript/turn';
import type { StoredRowQueries } from './storedRowQueries';
import type { WorkProgress } from './slicedWork';
import type { Usage } from '../transcript/usage';
import type { WireTexts } from './wireTexts';

/** Everything the rest of the house may ask of stored sessions. `SessionDb` implements it synchronously; behind the worker every method
 *  returns a promise (`SessionStore`). One call is one transaction: when it returns (or resolves), what it wrote survives a power cut.
 *  Every method may throw a `StoreError`. */
export interface SessionOperations
  extends
    ConversationOperations,
    BringingOver,
    Outbox,
    WireTexts,
    FileChangeOperations,
    ApprovalOperations,
    StoredRowQueries {
  // Sessions
  createSession(input: NewSession): Session;
  getSession(sessionId: string): Session | null;
  /** One entry per conversation, its newest segment; newest activity first (in the trash: trashed last first). Sub-agents' sessions are left
   *  out. A row that cannot be read is an entry that says so (`problem`). */
  listSessions(query: SessionQuery): readonly SessionSummary[];
  /** Exact id, or the only session whose id begins so; null when none or several do. A session without rows stands for the one that went on
   *  from it: its continuation, or its only branch with rows. */
  resolveSessionId(idOrPrefix: string): string | null;
  /** Titles the whole conversation. An automatic title never replaces one of higher authority (derived < model < person); one that another
   *  conversation of the same tree of branches has gets a number (" #2"). Returns whether it was set. Throws `invalid`, with a sentence, for a
   *  title without a visible character, one over 200 characters, and one of the person's that is taken in the tree. */
  setTitle(sessionId: string, title: string, source: TitleSource): boolean;
  setSessionModel(sessionId: string, model: string | null): void;
  /** How hard the session's model is asked to think: of all segments of its conversation. Null: not chosen there, a setting decides. A branch
   *  begins with null. */
  sessionEffort(sessionId: string): ReasoningEffort | null;
  setSessionEffort(sessionId: string, effort: ReasoningEffort | null): void;
  /** First end reason wins. */
  endSession(sessionId: string, reason: string): void;
  /** Follows compression children to the newest segment. */
  conversationTip(sessionId: string): string;
  /** Ends a segment and starts the next one of its conversation, all or nothing: the child begins with the handoff, followed by a copy
   *  (`carriedFrom`) of every active row behind the last one the handoff speaks for, so that what arrived meanwhile goes along. The parent
   *  keeps its rows; queued prompts, the draft and the open turn move to the child. Throws `conversation-busy` while another turn than `turnUid` is open, and `invalid` for an ended parent, an empty
   *  handoff, or a border inside a group of calls and results. A repeated call answers with what is stored. */
  compressSession(input: CompressSession): CompressedSession;
  // A turn, in the order of its life
  /** User row, turn row and (when the prompt was queued) the removal from the queue, in one transaction. Throws `conversation-busy` when
   *  the conversation has a running or waiting turn, and `invalid` for a segment that was compressed: whoever asks must read the tip first.
   *  With `replaces`, the rows of that settled turn and of every turn behind it in the segment are hidden in the same transaction, as a version
   *  that `showVersion` can bring back; `invalid` when its prompt is not shown in the segment. A repeated call answers with what is stored. */
  openTurn(input: OpenTurn): { readonly turn: Turn; readonly userMessage: Message };
  /** Stores delivered text. The first chunk of a message inserts its row. Chunks of a message arrive in order of `seq`; a repeated seq is
   *  ignored when its text is the same and refused otherwise. */
  appendChunks(batch: ChunkBatch): void;
  /** Upserts whole messages by uid. Chunks of these messages are folded away (their text is in `parts`). A new row goes where `behind` says, else to
   *  the end of its turn where that is settled, else to the end of its session. Returns them as they now stand. */
  putMessages(messages: readonly PutMessage[]): readonly Message[];
  /** Makes the session's active rows a sequence that every provider accepts (`transcript/sequenceRepair.ts`), all or nothing: survivors are
   *  rewritten under their uids with a revision of what they said, absorbed and dropped rows are hidden, open calls answered. Rows of an open
   *  turn stay, but its prompt may be absorbed by an earlier one. Answers with nothing when the sequence is sound. */
  repairTranscript(sessionId: string): TranscriptRepair;
  /** Moves a queued prompt into its conversation's running turn: out of the queue, and to the end of the session as a user row of that turn under
   *  the prompt's uid, in one transaction. Null when the prompt is no longer queued. A repeated call answers with what is stored. */
  steerTurn(input: SteerTurn): Message | null;
  addUsage(turnUid: string, usage: Usage): void;
  /** Closes a turn in one transaction: upserts `messages`, folds every remaining chunk of the turn, marks its messages final, answers open
   *  calls with `interrupted` results, adds the hidden closing row when no assistant row would end the turn, and settles the turn row.
   *  Idempotent: a settled turn is returned as it is. */
  settleTurn(input: SettleTurn): SettledTurn;
  /** Settles what a dead process left running (stop reason `crash`). Called once after opening, by the owner. Waiting turns stay, and those
   *  named: this process runs them still. A sub-agent's turn that waits is settled too where the turn it works for is over: nobody takes its answer. */
  recoverTurns(except?: readonly string[]): readonly SettledTurn[];
  /** Does what a spill file kept while the store could not be written, in order and once, all in one transaction: a request that was done
   *  before, here or by an earlier folding, changes nothing. A turn that another owner took for a crashed one meanwhile is opened again. */
  foldSpill(spill: SpilledTurn): FoldedSpill;

  // Reading: one read transaction, chunks folded into the messages they belong to
  /** Shown and closing messages in order, as the model is sent them. */
  activeMessages(sessionId: string): readonly Message[];
  getMessage(uid: string): Message | null;
  /** What a message said before it was rewritten, oldest first. */
  revisionsOf(messageUid: string): readonly MessageRevision[];
  getTurn(uid: string): Turn | null;
  /** The newest turn of the session's conversation that is not settled. */
  openTurnOf(sessionId: string): Turn | null;
  readTranscript(query: TranscriptQuery): TranscriptPage;
  /** Answers at once what a prompt depends on before its turn is opened. `openTurn` checks again what may not have changed since. With
   *  `sessionId` null it says only what is stored under the prompt's uid; with `promptUid` null nothing of that. */
  promptContext(sessionId: string | null, promptUid: string | null): PromptContext;

  // Queue and drafts
  /** To the end, or with `behind` to the front, after those of the prompts named that are still queued. A prompt queued already stays where
   *  it is, and one that is part of the transcript by now is not queued again. Returns the conversation's queue. */
  enqueue(prompt: EnqueuePrompt): readonly QueuedPrompt[];
  queue(sessionId: string): readonly QueuedPrompt[];
  queuedPrompt(uid: string): QueuedPrompt | null;
  /** Its parts stay; without any the text may not be empty. */
  editQueued(uid: string, text: string): readonly QueuedPrompt[];
  removeQueued(uid: string): readonly QueuedPrompt[];
  /** Moves a prompt to the front. */
  promoteQueued(uid: string): readonly QueuedPrompt[];
  draft(key: string): string;
  draftParts(key: string): readonly DraftPart[];
  /** Without `parts`, those that were saved before stay. An empty text without parts deletes the draft. Key: a session id, or "new" for the empty
   *  state. */
  setDraft(key: string, text: string, parts?: readonly DraftPart[], around?: DraftSurroundings): void;

  // Search
  /** Newest first. */
  search(query: SearchQuery): readonly SearchHit[];

  // Small durable values
  getMeta(key: string): string | null;
  setMeta(key: string, value: string): void;
  deleteMeta(key: string): void;

  // Care
  /** Indexes up to `rows` dirty rows; returns how many are left, counted up to a thousand. */
  indexBatch(rows: number): number;
  checkpoint(): void;
  /** SQLite's and the index's own integrity checks, and ours (every chunk has its message, every open call its turn …). Empty means sound. */
  verifyIntegrity(): readonly string[];
  statistics(): StoreStatistics;
}

export interface NewSession {
  /** Given by the caller so that a retried request cannot create two. */
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
  /** No memory provider is told of it. A segment or branch is private as its parent is. */
  readonly private?: boolean;
}

export interface CompressSession {
  readonly parentId: string;
  /** Given by the caller so that a repeated request cannot create two. */
  readonly childId: string;
  /** What the model is told of everything up to `summarisedUpTo`. */
  readonly handoff: string;
  /** What the history took before and takes now, in tokens; kept with the handoff for the surfaces. */
  readonly tokens?: HandoffTokens;
  /** Uid of the last active row that the handoff speaks for. */
  readonly summarisedUpTo: string;
  readonly now: number;
  /** The open turn that compresses its own history, where there is one. It goes on in the child. */
  readonly turnUid?: string;
  /** Uid of an active prompt that the handoff speaks past: it goes along as it is, ahead of the rows behind. That of a turn that is cut in two. */
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
  /** Words looked for in title and preview. */
  readonly text?: string;
  /** Only the pinned ones, or only the others. */
  readonly pinned?: boolean;
  readonly withoutPrivate?: boolean;
  /** Only what is listed behind this entry, the last one of the page before; not for the trash, which has another order. */
  readonly behind?: Pick<SessionSummary, 'id' | 'lastActiveAt'>;
  /** Only the conversations that these sessions are of. */
  readonly sessionIds?: readonly string[];
  /** Sessions without a message are left out unless asked for. */
  readonly includeEmpty?: boolean;
}

export interface MessageRevision {
  /** Seconds since the epoch: when it was replaced. */
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
  /** The composer's draft that the prompt was sent from: it leaves the draft in the same transaction. */
  readonly draft?: PromptDraft;
  /** A version of the prompt of that turn, which must be settled and shown in the segment. */
  readonly replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' };
}

/** `behind`: the uid of the row that a new row goes directly after. A row that was carried into the new row's session counts there; where neither is
 *  in that session it says nothing. */
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
  readonly behind?: readonly string[];
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

/** A write of a running turn that a spill file can keep. */
export type SpilledRequest =
  | { readonly method: 'appendChunks'; readonly args: [ChunkBatch] }
  | { readonly method: 'putMessages'; readonly args: [readonly PutMessage[]] }
  | { readonly method: 'repairTranscript'; readonly args: [string] }
  | { readonly method: 'addUsage'; readonly args: [string, Usage] }
  | { readonly method: 'settleTurn'; readonly args: [SettleTurn] };

/** What one turn wrote while its store could not be written (`spill/`). */
export interface SpilledTurn {
  readonly spillUid: string;
  /** The store it belongs to (`store_uid` in its `state_meta`); null when that could not be read. */
  readonly storeUid: string | null;
  /** The segments the turn's rows are in, the earlier one first. */
  readonly sessions: readonly Session[];
  readonly turn: Turn & { readonly state: 'running' };
  /** The turn's rows as they stood before the first request: should the file be damaged, they are here. */
  readonly rows: readonly Message[];
  readonly requests: readonly SpilledRequest[];
}

/** `otherStore`: nothing was done, the spill belongs to another history. `refused`: why single requests could not be done, in technical words. */
export type FoldedSpill =
  { readonly kind: 'folded'; readonly refused: readonly string[] } | { readonly kind: 'otherStore' };

export interface SettledTurn {
  readonly turn: Turn & { readonly state: 'settled' };
  /** The turn's messages as they now stand, chunks folded. */
  readonly messages: readonly Message[];
}

export interface TranscriptRepair {
  /** Every row that was touched, as it now stands: survivors, made results, hidden rows. Empty when nothing had to be done. */
  readonly messages: readonly Message[];
  /** Why, once per row that was hidden or made. */
  readonly reasons: readonly RepairReason[];
}

export interface TranscriptQuery {
  /** Any segment: the transcript is the conversation's, every message once. */
  readonly sessionId: string;
  readonly limit: number;
  /** Page backwards: messages before this position. Without it the newest page. */
  readonly before?: number;
  readonly after?: number;
  /** Hidden and closing rows too (the transcript tab). */
  readonly includeHidden?: boolean;
  /** False leaves `later` and `total` at 0: counting goes through the whole session, which a reader of every page must not do for each. Default: true. */
  readonly isCounted?: boolean;
}

export interface TranscriptPage {
  readonly messages: readonly Message[];
  /** Every turn a message of this page belongs to. */
  readonly turns: readonly Turn[];
  /** Versions of this page's prompts, as `promptVersions` gives them. */
  readonly versions: readonly PromptVersions[];
  readonly hasEarlier: boolean;
  /** How many rows of the transcript stand behind this page. */
  readonly later: number;
  readonly total: number;
}

export interface PromptContext {
  /** The newest segment of the session's conversation; null where the session is not stored. */
  readonly session: Session | null;
  /** The conversation is a sub-agent's. */
  readonly isSubAgent: boolean;
  /** As `openTurnOf` says. */
  readonly openTurn: Turn | null;
  /** Tokens of the newest segment's active rows: the count that came with the newest answer, and an estimate of what stands behind it. Null
   *  without a count. */
  readonly countedTokens: number | null;
  /** The prompt, where it is part of a transcript already. */
  readonly message: Message | null;
  /** The prompt, where it is queued already. */
  readonly queued: QueuedPrompt | null;
}

export interface SearchQuery {
  readonly text: string;
  readonly limit: number;
  /** Hits to leave out, for a further page. */
  readonly offset?: number;
  /** Only the conversation of this session, or of these. */
  readonly sessionId?: string;
  readonly sessionIds?: readonly string[];
  /** words: what the index knows, at once · substring: the text anywhere, read row by row. Without it the index first, and a scan when it
   *  knows nothing. What the index cannot answer (scripts without spaces, punctuation) is always scanned. */
  readonly kind?: 'words' | 'substring';
}

export type SearchProgress = WorkProgress;

/** How long work may be stopped, and what hears how far it has come. */
export type WorkCourse = readonly [signal?: AbortSignal, onProgress?: (progress: WorkProgress) => void];

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

export interface StoreStatistics {
  readonly sessions: number;
  readonly messages: number;
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly dirtyRows: number;
}

type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<R> : never;
};

/** The store as every floor above sees it. */
export interface SessionStore extends Promised<SessionOperations> {
  /** An aborted search rejects at once with the signal's reason and reads no further. */
  search(query: SearchQuery, ...course: WorkCourse): Promise<readonly SearchHit[]>;
  // Changes that take long in a long session. An aborted one rejects with the signal's reason when everything stands as before; where it was done, or past
  // the point at which it could be stopped, it resolves.
  branchSession(input: BranchSession, ...course: WorkCourse): Promise<BranchedSession>;
  rewindSession(input: RewindSession, ...course: WorkCourse): Promise<RewoundSession>;
  showVersion(input: ShowVersion, ...course: WorkCourse): Promise<readonly string[]>;
  openTurn(input: OpenTurn, ...course: WorkCourse): Promise<{ readonly turn: Turn; readonly userMessage: Message }>;
  /** It cannot be stopped, because what is erased is gone. */
  forgetSession(sessionId: string, ...course: WorkCourse): Promise<ForgottenSessions>;
  /** Checkpoints, closes and releases ownership. Safe to call twice. */
  close(): Promise<void>;
}

/** An assistant message that is still being delivered, as `activeMessages` and `readTranscript` return it mid-stream. */
export type StreamingMessage = AssistantMessage & { readonly state: 'streaming' };
