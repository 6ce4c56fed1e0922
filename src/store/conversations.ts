import type { SentPart } from '../transcript/draftPart';
import type { BranchReference, Session, SessionSummary } from '../transcript/session';
import type { PromptVersions } from '../transcript/turn';
import type { Cost } from '../transcript/usage';

export interface SessionSpending {
  readonly cost: Cost;
  /** US dollars up to which the user allowed the conversation to continue. Null: the user was never asked. */
  readonly allowedUsd: number | null;
}

export type { PromptVersions };

export type FoundSession =
  | { readonly kind: 'one'; readonly sessionId: string }
  /** Newest activity first. */
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] }
  | { readonly kind: 'none' };

export interface BranchSession {
  readonly sessionId: string;
  /** A shown message of any segment of the conversation; null: everything of the newest segment. */
  readonly upTo: string | null;
  /** Set by the caller so that a repeated request cannot create two. */
  readonly childId: string;
  readonly now: number;
}

export interface BranchedSession {
  readonly session: Session;
  /** Rows that were copied. */
  readonly copied: number;
  /** The prompt named by `upTo`, for the composer; null when an answer was named. */
  readonly draft: string | null;
  /** Attachments of the draft. */
  readonly draftParts: readonly SentPart[];
}

export interface RewindSession {
  readonly sessionId: string;
  /** Uid of the prompt to take back. */
  readonly to: string;
  readonly now: number;
}

export interface RewoundSession {
  /** The rows that were hidden. */
  readonly hidden: readonly string[];
  /** The prompt's text, for the composer. */
  readonly draft: string;
  /** Attachments of the draft. */
  readonly draftParts: readonly SentPart[];
}

export interface ShowVersion {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly now: number;
}

export interface ConversationBranch {
  readonly conversationId: string;
  /** The newest segment: the one that opens. */
  readonly tipId: string;
  readonly title: string | null;
  readonly parentConversationId: string | null;
  /** The message it was branched from, as named at that time; null for the root, and for a branch of everything. */
  readonly branchedFrom: string | null;
  readonly lastActiveAt: number;
  readonly turnCount: number;
}

export interface ForgottenSessions {
  /** Every session that was erased, all segments. */
  readonly sessionIds: readonly string[];
  /** Branches that hold copies of what was erased. They stay. */
  readonly branches: readonly BranchReference[];
  /** True when no byte of it is left. False for a file over 256 MB, which is not rewritten: fragments may stay in
   *  unused parts of it. */
  readonly isComplete: boolean;
}
