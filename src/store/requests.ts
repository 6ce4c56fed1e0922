import type { Approval, ApprovalRequest } from '../transcript/approval';
import type { PromptDraft } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { Chunk, HiddenReason, Message, NewMessage, Role } from '../transcript/message';
import type { Part } from '../transcript/part';
import type { RepairReason } from '../transcript/sequenceRepair';
import type { ParentKind, QueuedPrompt, Session, SessionSummary, TitleSource } from '../transcript/session';
import type { Recalled, Settlement, Turn } from '../transcript/turn';
import type { PromptVersions } from './conversations';
import type { FileChange } from './fileChanges';

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

export interface OpenedTurn {
  readonly turn: Turn;
  readonly userMessage: Message;
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

export interface StoreStatistics {
  readonly sessions: number;
  readonly messages: number;
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly dirtyRows: number;
}

/** Memory recalled for a turn's prompt. */
export interface RecalledFor {
  readonly turnUid: string;
  readonly found: readonly Recalled[];
}

export interface ApiContent {
  readonly messageUid: string;
  readonly text: string;
}

export interface NewApproval {
  /** Set by the caller, so that a repeated request stores only one. */
  readonly id: string;
  readonly turnUid: string;
  /** The segment that now receives the turn's rows. */
  readonly sessionId: string;
  readonly messageUid: string;
  readonly callId: string;
  readonly request: ApprovalRequest;
  readonly requestedAt: number;
}

export interface ApprovalOfTurn {
  readonly approval: Approval;
  readonly turn: Turn;
}

/** Bytes that one session takes. */
export interface SessionSize {
  readonly sessionId: string;
  readonly title: string | null;
  /** Sub-agents' sessions are counted separately. */
  readonly messages: number;
  /** Rows, with what the session's messages were before they were rewritten, and without images. */
  readonly textBytes: number;
  readonly imageBytes: number;
}

/** Bytes of the store, by what takes them. The parts count content only, so their sum is less than `fileBytes`: the
 *  rest is indexes and unused room within pages. */
export interface StoreSizes {
  /** The largest first. */
  readonly sessions: readonly SessionSize[];
  /** Contents of files before and after an agent's changes, each once, as stored. */
  readonly fileContentBytes: number;
  readonly searchIndexBytes: number;
  /** Pages that hold nothing now and are used again. */
  readonly freeBytes: number;
  readonly fileBytes: number;
}

export interface TranscriptSlice {
  /** Any segment: the transcript is that of the conversation. */
  readonly sessionId: string;
  /** Rows after this position; null: from the first one. */
  readonly after: number | null;
  readonly limit: number;
}

export interface StoredTextQuery {
  readonly text: string;
  readonly matchCase: boolean;
}

export interface OutlineRow {
  readonly uid: string;
  /** The row's segment. */
  readonly sessionId: string;
  readonly turnUid: string | null;
  readonly position: number;
  readonly role: Role;
  readonly visibility: 'shown' | 'closing' | 'handoff' | 'hidden';
  readonly hiddenReason: HiddenReason | null;
  readonly absorbedInto: string | null;
  /** State or outcome of its turn; null when it has none. */
  readonly turn: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed' | null;
  /** True when it was rewritten; its earlier content is kept. */
  readonly revised: boolean;
}

export interface FoundRows {
  readonly uids: readonly string[];
  /** Position of the last row that was read; null when there was none. */
  readonly upTo: number | null;
  readonly read: number;
}

export interface StoredRows {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly approvals: readonly Approval[];
  readonly fileChanges: readonly FileChange[];
}

export interface StoredRow {
  readonly columns: Readonly<Record<string, string | number | null>>;
  /** Length, in characters, of the exact text that was sent, if that differs from the row's text; null when none is
   *  stored. */
  readonly wireTextLength: number | null;
  readonly chunks: readonly Readonly<Record<string, string | number | null>>[];
}
