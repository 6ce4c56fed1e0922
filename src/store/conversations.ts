import type { SentPart } from '../transcript/draftPart';
import type { BranchReference, Session, SessionSummary } from '../transcript/session';
import type { PromptVersions } from '../transcript/turn';
import type { Cost } from '../transcript/usage';
import { longWrite, maintenance, read, write } from './storeMethod';

/** Cost of sessions, from the usage that is stored with their turns. A turn counts once: in a branch, the turns
 *  copied from its origin do not count. */
export const spendingMethods = {
  /** All segments of the conversation, and the sub-agents that worked for it. */
  sessionSpending: read<(sessionId: string) => SessionSpending>(),
  /** Turns of all sessions that settled at `since` (seconds since the epoch) or later, and those that are open. */
  spendingSince: read<(since: number) => Cost>(),
  /** Stores that the conversation may cost up to `usd` before the user is asked again. */
  allowSpending: write<(sessionId: string, usd: number) => void>(),
};

export interface SessionSpending {
  readonly cost: Cost;
  /** US dollars up to which the user allowed the conversation to continue. Null: the user was never asked. */
  readonly allowedUsd: number | null;
}

export type { PromptVersions };

/** User actions on a whole conversation. One call is one transaction and, unless stated otherwise, affects all
 *  segments of the conversation. `SessionOperations` states the rules for every method. */
export const conversationMethods = {
  /** Finds a session by the user's text: an id, the beginning of an id, or a title in any case, in this order.
   *  Excludes the trash. Returns newest segments. */
  findSession: read<(text: string) => FoundSession>(),
  /** Copies the active rows of a segment, from its beginning to `upTo`, into a new conversation; the original is not
   *  changed. An answer is copied with the rest of its group, so that no call is separated from its result. A prompt
   *  is not copied but returned as `draft`. A turn that is cut in the middle ends in the copy as stopped by the
   *  user. Rows of an open turn are left out. `upTo` null: everything of the conversation's newest segment. Throws
   *  `conversation-busy` when `upTo` belongs to an open turn, `invalid` when nothing could be copied or `upTo` is
   *  not shown. A repeated call returns what is stored. */
  branchSession: longWrite<(input: BranchSession) => BranchedSession>(),
  /** Hides a prompt and everything after it as rewound. Throws `conversation-busy` while a turn is open, and
   *  `invalid` for anything but the prompt of a turn shown in the newest segment. */
  rewindSession: longWrite<(input: RewindSession) => RewoundSession>(),
  /** The tree of branches that contains the session: one entry per conversation, a parent before its branches, the
   *  root first. Excludes sub-agents' sessions and the trash, except for entries that other entries descend from;
   *  `withTrash` includes the trash. */
  branchesOf: read<(sessionId: string, withTrash?: boolean) => readonly ConversationBranch[]>(),

  // User actions on a conversation: all its segments at once
  setPinned: write<(sessionId: string, on: boolean) => void>(),
  setArchived: write<(sessionId: string, on: boolean) => void>(),
  /** Throws `conversation-busy` while a turn is running or waiting. */
  trashSession: write<(sessionId: string, now: number) => void>(),
  restoreSession: write<(sessionId: string) => void>(),
  /** Deletes the conversations that were trashed before `before` (seconds since the epoch), each as `forgetSession`
   *  does. Pinned and still answering conversations stay. */
  pruneTrash: maintenance<(before: number) => ForgottenSessions>(),
  /** Erases a conversation: rows, turns, revisions, queue, drafts, outbox, index, and its bytes in the file and the
   *  log. Sub-agents' sessions are erased with it; branches stay and become roots. Rewrites the whole file, which
   *  may take seconds. Throws `conversation-busy` while a turn is running or waiting. If the rows are deleted but
   *  the rewrite fails, the next call or opening completes it. */
  forgetSession: longWrite<(sessionId: string) => ForgottenSessions>(),
  /** Records that the user has seen the conversation as of `now`: turns that settled before are no longer unread. */
  setSeen: maintenance<(sessionId: string, now: number) => void>(),

  // Versions of a prompt (Retry, Edit & Resend)
  /** The prompts shown in the newest segment that have other versions. */
  promptVersions: read<(sessionId: string) => readonly PromptVersions[]>(),
  /** Replaces the shown version of a prompt, and everything after it, with another version. Versions inside keep
   *  their choice. Rows that were rewound, merged or dropped stay hidden. Returns the uid of every row that was
   *  hidden or shown. Throws `conversation-busy` while a turn is open, and `invalid` for a turn that is not a
   *  version of a shown prompt. */
  showVersion: longWrite<(input: ShowVersion) => readonly string[]>(),
};

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
