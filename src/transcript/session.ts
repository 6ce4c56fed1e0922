import type { SentPart } from './draftPart';

/** Requested thinking effort of a model. `default`: the provider's default; the request does not mention it. */
export const reasoningEfforts = ['default', 'none', 'low', 'medium', 'high'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** Relation of a session to its parent: the next segment of the same conversation, a branch, or a sub-agent's own
 *  session. */
export type ParentKind = 'compression' | 'branch' | 'delegate';

export type TitleSource = 'derived' | 'model' | 'person';

/** Origin of a session that another agent wrote. */
export interface SessionOrigin {
  /** Name of the agent or format: "claudeCode". */
  readonly source: string;
  /** The session's id there. */
  readonly id: string;
  /** File in which it was found. */
  readonly place: string;
  /** Version of the program that wrote it; null when the file does not say. */
  readonly writtenBy: string | null;
  /** Model that the file names for the session. Default: none. */
  readonly model: string | null;
  /** Seconds since the epoch. */
  readonly importedAt: number;
}

export interface Session {
  /** `YYYYMMDD_HHMMSS_<6 hex>`, as in Hermes' state.db. */
  readonly id: string;
  readonly title: string | null;
  readonly titleSource: TitleSource | null;
  readonly parentSessionId: string | null;
  readonly parentKind: ParentKind | null;
  /** Root of the compression chain: the key of the conversation and of its turn slot. */
  readonly conversationId: string;
  /** Reference of the chosen model; null while none was chosen for this session. */
  readonly model: string | null;
  readonly folder: string | null;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  readonly lastActiveAt: number;
  readonly endedAt: number | null;
  readonly endReason: string | null;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly trashedAt: number | null;
  /** True when memory providers get nothing from it. */
  readonly private: boolean;
  /** Name of the custom agent that answers. Absent: the usual agent. */
  readonly agent?: string;
  /** Present when it was imported from another agent. */
  readonly origin?: SessionOrigin;
}

/** Reference to a conversation from another one. */
export interface BranchReference {
  readonly conversationId: string;
  /** Its newest segment, which opens. */
  readonly sessionId: string;
  readonly title: string | null;
}

/** Session for lists. */
export interface SessionSummary extends Session {
  /** First prompt, cut to 120 characters; null for a session without one. */
  readonly preview: string | null;
  /** Name of the other machine that continued it last; absent when this one did. */
  readonly machine?: string;
  readonly turnCount: number;
  readonly messageCount: number;
  readonly lastTurn: { readonly state: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed' } | null;
  readonly queuedCount: number;
  /** Conversation it was branched from; null for a root, and when that conversation was forgotten. */
  readonly branchOf: BranchReference | null;
  /** True when a turn settled after the user last saw the conversation. */
  readonly unread: boolean;
  /** Sentence when the stored row cannot be read correctly; null for a valid one. */
  readonly problem: string | null;
}

/** Stored prompt that waits for the running turn to settle. */
export interface QueuedPrompt {
  readonly uid: string;
  readonly sessionId: string;
  readonly text: string;
  /** Attachments. Default: none. */
  readonly parts?: readonly SentPart[];
  readonly createdAt: number;
  /** True while it waits for the next request of the running turn (steering). Never stored. */
  readonly isNextStep?: true;
}
