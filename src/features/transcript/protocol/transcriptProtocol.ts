import * as v from 'valibot';
import type { Approval } from '../../../transcript/approval';
import type { HandoffTokens } from '../../../transcript/handoff';
import type { Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';
import type { Session } from '../../../transcript/session';
import type { Turn } from '../../../transcript/turn';
import { codeCommands, codeRequests, type CodeResults } from '../../../protocol/codeProtocol';
import type { Verification } from '../../../transcript/verification';

/** State of a row: from its turn (waiting: not settled yet), from a repair (rewritten, merged, left out, made up),
 *  or hidden because it is not part of the conversation. */
export const rowStates = ['complete', 'interrupted', 'failed', 'waiting', 'repaired', 'hidden'] as const;
export type RowState = (typeof rowStates)[number];

/** Filter for rows. `hidden`: includes rows that are not part of the conversation; the states `repaired` and
 *  `hidden` always include them. */
const rowFilter = v.object({
  role: v.nullable(v.picklist(['user', 'assistant', 'tool'])),
  state: v.nullable(v.picklist(rowStates)),
  hidden: v.boolean(),
});
export type RowFilter = v.InferOutput<typeof rowFilter>;

const rowForms = ['markdown', 'json', 'text'] as const;
export type RowForm = (typeof rowForms)[number];

/** Actions of a tab that shows a history file: imports its sessions, lets the user choose one of them, reads the file
 *  again when the page is next ready, or shows it in a text editor. */
const fileActions = ['import', 'chooseSession', 'reload', 'openAsText'] as const;
export type FileAction = (typeof fileActions)[number];

/** Payloads of the transcript tab. The tab shows what is stored and changes nothing itself: its actions run where
 *  the user can see them. */
export const transcriptCommands = {
  ...codeCommands,
  cancelVerify: v.object({}),
  /** Copies text that a view showed of this message and still has. */
  copyShown: v.object({ messageUid: v.string() }),
  /** `around`: the user's row when the page was last seen; null: at the end. */
  ready: v.object({ filter: rowFilter, around: v.nullable(v.string()) }),
  /** `messageUid` null: the session at the position where the user left it. */
  openInChat: v.object({ messageUid: v.nullable(v.string()) }),
  branchFrom: v.object({ messageUid: v.string() }),
  /** Asks first, with the number of turns that would be removed. */
  rewindTo: v.object({ messageUid: v.string() }),
  exportSession: v.object({}),
  fileAction: v.object({ action: v.picklist(fileActions) }),
  /** Moves the tab to another session of the tree of branches; `messageUid`: to this row of it. */
  goTo: v.object({ sessionId: v.string(), messageUid: v.nullable(v.string()) }),
  copy: v.object({ text: v.string() }),
  /** `uids` null: every row that passes the filter. In stored order. */
  copyRows: v.object({
    sessionId: v.string(),
    uids: v.nullable(v.array(v.string())),
    filter: rowFilter,
    form: v.picklist(rowForms),
  }),
  openLink: v.object({ href: v.string() }),
  /** Cancels the search with this number; its request returns null. */
  cancelFind: v.object({ search: v.number() }),
  showLog: v.object({}),
} as const;

/** Range of the rows that pass the filter: the newest · those before or after a position · those around a row, which
 *  may be in any segment. */
const rowsWanted = v.variant('kind', [
  v.object({ kind: v.literal('end') }),
  v.object({ kind: v.literal('start') }),
  v.object({ kind: v.literal('before'), position: v.number() }),
  v.object({ kind: v.literal('after'), position: v.number() }),
  v.object({ kind: v.literal('around'), messageUid: v.string() }),
]);
export type RowsWanted = v.InferOutput<typeof rowsWanted>;

export const transcriptRequests = {
  ...codeRequests,
  verify: v.object({ sessionId: v.string() }),
  loadRows: v.object({
    sessionId: v.string(),
    wanted: rowsWanted,
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2000)),
    filter: rowFilter,
  }),
  /** Every stored row that passes the filter and contains the text. `search` is a number from the view; a new search
   *  ends the one before. */
  findRows: v.object({
    search: v.number(),
    sessionId: v.string(),
    filter: rowFilter,
    text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(1000)),
    matchCase: v.boolean(),
  }),
  /** Content of a row before it was rewritten, oldest first. */
  revisions: v.object({ messageUid: v.string() }),
  /** The row as stored in the file; null when it is gone. */
  rawRow: v.object({ messageUid: v.string() }),
} as const;

export interface TranscriptResults extends CodeResults {
  /** Null: the user canceled it. */
  readonly verify: Verification | null;
  readonly loadRows: TranscriptRows;
  /** Uids in order. Null: canceled. */
  readonly findRows: readonly string[] | null;
  readonly revisions: readonly RowRevision[];
  /** JSON, indented. */
  readonly rawRow: string | null;
}

/** Consecutive rows of the filtered transcript, with everything stored about them. */
export interface TranscriptRows {
  readonly messages: readonly Message[];
  /** Position of each of `messages` among all stored rows of the session, from 1. */
  readonly numbers: readonly number[];
  /** Turns of those rows. */
  readonly turns: readonly StoredTurn[];
  readonly approvals: readonly StoredApproval[];
  /** Rows that a repair merged into one of these. */
  readonly absorbed: readonly { readonly into: string; readonly uid: string; readonly number: number }[];
  /** Numbers of rows that one of these was merged into. */
  readonly absorbers: readonly { readonly uid: string; readonly number: number }[];
  /** Those of these rows that were rewritten. */
  readonly revised: readonly string[];
  /** Number of rows that pass the filter before these; `later`: after them. */
  readonly earlier: number;
  readonly later: number;
  /** Number of rows that pass the filter. */
  readonly matching: number;
  /** Number of all stored rows of the session. */
  readonly total: number;
  /** Number of rows in each state, among all stored rows. */
  readonly counts: Readonly<Record<RowState, number>>;
  /** In order, the first one first; more than one if the session was compressed. */
  readonly segments: readonly TranscriptSegment[];
}

export interface StoredTurn {
  readonly turn: Turn;
  /** Position among the turns of the session, from 1. */
  readonly number: number;
  readonly files: readonly TurnFile[];
  /** Versions of its prompt, oldest first, including itself; empty when there is only one. */
  readonly versions: readonly { readonly turnUid: string; readonly firstUid: string }[];
}

export interface TurnFile {
  /** Relative to the session's folder if it is inside. */
  readonly path: string;
  readonly kind: 'created' | 'edited' | 'deleted' | 'unknown';
  readonly reviewed: 'kept' | 'reverted' | 'partly' | null;
}

/** A request to the user, and its outcome. */
export type StoredApproval = Pick<Approval, 'id' | 'messageUid' | 'callId' | 'requestedAt' | 'state'> & {
  readonly subject: string;
  readonly rules: readonly string[];
};

/** Part of a session that goes to the model unshortened. A later segment begins with a summary of the earlier ones. */
export interface TranscriptSegment {
  readonly sessionId: string;
  readonly firstUid: string;
  readonly lastUid: string;
  /** The summary at its beginning; null for the first segment. */
  readonly handoffUid: string | null;
  readonly tokens: HandoffTokens | null;
}

export interface RowRevision {
  /** Time of replacement, in seconds since the epoch. */
  readonly revisedAt: number;
  readonly parts: readonly Part[];
  /** Unified diff from this to the next version; null when no readable content changed. */
  readonly diff: string | null;
}

/** A session in the tree of branches that contains the shown one. */
export interface TranscriptBranch {
  readonly conversationId: string;
  /** The session to open. */
  readonly tipId: string;
  readonly title: string | null;
  readonly parentConversationId: string | null;
  /** Message of the parent at which it was branched; null for the root, and for a branch of everything. */
  readonly branchedFrom: string | null;
  /** True for a session in which a sub-agent worked for its parent. */
  readonly subAgent: boolean;
  readonly lastActiveAt: number;
  readonly turnCount: number;
}

/** rows: of the session · file: the whole history, which has no steps to count. */
export type VerifyProgress =
  { readonly step: 'rows'; readonly done: number; readonly total: number } | { readonly step: 'file' };

export interface TranscriptNotifications {
  readonly bootstrap: TranscriptState;
  /** Rows changed on disk: the tab reads again. */
  readonly changed: { readonly sessionId: string };
  readonly reveal: { readonly messageUid: string };
  /** The session was renamed, archived, or continues in another segment. */
  readonly session: Session;
  /** A parent before its branches, the root first. */
  readonly branches: readonly TranscriptBranch[];
  /** Progress of a search, in rows. */
  readonly findProgress: { readonly search: number; readonly done: number; readonly total: number };
  /** The command was run outside the tab. */
  readonly verifyAsked: Record<string, never>;
  readonly verifyProgress: VerifyProgress;
}

export interface TranscriptProtocol {
  readonly commands: typeof transcriptCommands;
  readonly requests: typeof transcriptRequests;
  readonly results: TranscriptResults;
  readonly notifications: TranscriptNotifications;
}

export interface TranscriptState {
  readonly session: Session | null;
  readonly rows: TranscriptRows | null;
  readonly branches: readonly TranscriptBranch[];
  /** The folder of the session, if it is not this window's; else null. `openInChat` brings the session over. */
  readonly otherFolder: string | null;
  /** The history file that the tab shows; null for a tab of a session. Such a file can only be read and imported. */
  readonly file: { readonly sessions: number } | null;
  /** Time of the copy from which another folder's session or a file is read, in seconds since the epoch; null for a
   *  session of this window. */
  readonly readAt: number | null;
  /** Reason, in words, why nothing can be shown. Default: none. */
  readonly problem: string | null;
  readonly reveal: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
