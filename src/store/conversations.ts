import type { SentPart } from '../transcript/draftPart';
import type { BranchReference, Session, SessionSummary } from '../transcript/session';
import type { PromptVersions } from '../transcript/turn';

export type { PromptVersions };

/** What a person does with a conversation as a whole. One call is one transaction and, unless it says otherwise, takes in all segments of the
 *  conversation; `SessionOperations` says what holds for every method. */
export interface ConversationOperations {
  /** What a person typed to name a session: an id, the beginning of one, or a title whatever its case, in this order. Outside the trash. Answers
   *  with newest segments. */
  findSession(text: string): FoundSession;
  /** Copies what is active of a segment, from its beginning to `upTo`, into a conversation of its own; the original is not touched. An answer is
   *  copied with the rest of its group, so that no call is parted from its result; a prompt is not copied but returned as `draft`. A turn that
   *  is cut off in the middle ends in the copy as stopped by the person. Rows of an open turn are left out. `upTo` null: everything of the
   *  conversation's newest segment. Throws `conversation-busy` when `upTo` belongs to an open turn, `invalid` when nothing could be copied
   *  or `upTo` is not shown. A repeated call answers with what is stored. */
  branchSession(input: BranchSession): BranchedSession;
  /** Hides a prompt and everything behind it as rewound. Throws `conversation-busy` while a turn is open, and `invalid` for anything but the
   *  prompt of a turn shown in the newest segment. */
  rewindSession(input: RewindSession): RewoundSession;
  /** The tree of branches that the session is in: one entry per conversation, a parent before its branches, the root first. Sub-agents'
   *  sessions and the trash are left out, except for what the tree hangs on; `withTrash` takes the trash in. */
  branchesOf(sessionId: string, withTrash?: boolean): readonly ConversationBranch[];

  // What a person does with a conversation: all its segments at once
  setPinned(sessionId: string, on: boolean): void;
  setArchived(sessionId: string, on: boolean): void;
  /** Throws `conversation-busy` while a turn is running or waiting. */
  trashSession(sessionId: string, now: number): void;
  restoreSession(sessionId: string): void;
  /** Deletes the conversations that were trashed before `before` (seconds since the epoch), each as `forgetSession` does. What is pinned or
   *  still answering stays. */
  pruneTrash(before: number): ForgottenSessions;
  /** Erases a conversation: rows, turns, revisions, queue, drafts, outbox, index, and its bytes in the file and the log. Sub-agents' sessions go
   *  with it; branches stay and become roots. Rewrites the whole file, which may take seconds. Throws `conversation-busy` while a
   *  turn is running or waiting. When the rows are gone and the rewriting failed, the next call or opening makes up for it. */
  forgetSession(sessionId: string): ForgottenSessions;
  /** The person has seen the conversation as it is at `now`: what settled before is no longer unread. */
  setSeen(sessionId: string, now: number): void;

  // Versions of a prompt (Retry, Edit & Resend)
  /** The prompts shown in the newest segment that have other versions. */
  promptVersions(sessionId: string): readonly PromptVersions[];
  /** Puts another version of a prompt, with everything that was behind it, in place of the one shown. Versions inside keep their choice. Rows
   *  that were rewound, merged or dropped stay hidden. Returns the uid of every row that was hidden or shown. Throws
   *  `conversation-busy` while a turn is open, and `invalid` for a turn that is no version of a prompt shown. */
  showVersion(input: ShowVersion): readonly string[];
}

export type FoundSession =
  | { readonly kind: 'one'; readonly sessionId: string }
  /** Newest activity first. */
  | { readonly kind: 'several'; readonly sessions: readonly SessionSummary[] }
  | { readonly kind: 'none' };

export interface BranchSession {
  readonly sessionId: string;
  /** A shown message of any segment of the conversation; null: everything of the newest. */
  readonly upTo: string | null;
  /** Given by the caller so that a repeated request cannot create two. */
  readonly childId: string;
  readonly now: number;
}

export interface BranchedSession {
  readonly session: Session;
  /** Rows that were copied. */
  readonly copied: number;
  /** The prompt named by `upTo`, for the composer; null when an answer was named. */
  readonly draft: string | null;
  /** What went along with it. */
  readonly draftParts: readonly SentPart[];
}

export interface RewindSession {
  readonly sessionId: string;
  /** Uid of the prompt that is taken back. */
  readonly to: string;
  readonly now: number;
}

export interface RewoundSession {
  /** The rows that were hidden. */
  readonly hidden: readonly string[];
  /** The prompt's text, for the composer. */
  readonly draft: string;
  /** What went along with it. */
  readonly draftParts: readonly SentPart[];
}

export interface ShowVersion {
  readonly sessionId: string;
  readonly turnUid: string;
  readonly now: number;
}

export interface ConversationBranch {
  readonly conversationId: string;
  /** The newest segment: what is opened. */
  readonly tipId: string;
  readonly title: string | null;
  readonly parentConversationId: string | null;
  /** The message it was branched from, as named then; null for the root, and for a branch of everything. */
  readonly branchedFrom: string | null;
  readonly lastActiveAt: number;
  readonly turnCount: number;
}

export interface ForgottenSessions {
  /** Every session that was erased, all segments. */
  readonly sessionIds: readonly string[];
  /** Branches that hold copies of what was erased. They stay. */
  readonly branches: readonly BranchReference[];
  /** Whether no byte of it is left. False for a file over 256 MB, which is not rewritten: fragments may stay in unused parts of it. */
  readonly isComplete: boolean;
}
