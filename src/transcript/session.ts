import type { SentPart } from './draftPart';

/** How a session hangs on its parent: the next segment of the same conversation, a branch, or a sub-agent's own session. */
export type ParentKind = 'compression' | 'branch' | 'delegate';

export type TitleSource = 'derived' | 'model' | 'person';

export interface Session {
  /** `YYYYMMDD_HHMMSS_<6 hex>`, as in Hermes' state.db. */
  readonly id: string;
  readonly title: string | null;
  readonly titleSource: TitleSource | null;
  readonly parentSessionId: string | null;
  readonly parentKind: ParentKind | null;
  /** Root of the compression chain: the key of the conversation and of its turn slot. */
  readonly conversationId: string;
  /** Chosen model's reference; null while none was chosen for this session. */
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
  /** No memory provider is told of it. */
  readonly private: boolean;
}

/** A conversation as another one refers to it. */
export interface BranchReference {
  readonly conversationId: string;
  /** Its newest segment: what is opened. */
  readonly sessionId: string;
  readonly title: string | null;
}

/** A session as lists show it. */
export interface SessionSummary extends Session {
  /** First prompt, cut to 120 characters; null for a session without one. */
  readonly preview: string | null;
  readonly turnCount: number;
  readonly messageCount: number;
  readonly lastTurn: { readonly state: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed' } | null;
  readonly queuedCount: number;
  /** What it was branched from; null for a root, and when that one was forgotten. */
  readonly branchOf: BranchReference | null;
  /** A turn settled after the person last saw the conversation. */
  readonly unread: boolean;
  /** A sentence when the stored row cannot be read as it should; null for a sound one. */
  readonly problem: string | null;
}

/** A prompt that waits, durably, for the running turn to settle. */
export interface QueuedPrompt {
  readonly uid: string;
  readonly sessionId: string;
  readonly text: string;
  /** What goes along with the text; absent where nothing does. */
  readonly parts?: readonly SentPart[];
  readonly createdAt: number;
}
