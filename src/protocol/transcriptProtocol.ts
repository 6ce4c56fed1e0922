import * as v from 'valibot';
import type { Approval } from '../transcript/approval';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { Part } from '../transcript/part';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import { codeCommands, codeRequests, type CodeResults } from './codeProtocol';
import { verifyCommands, verifyRequests, type VerifyNotifications, type VerifyResults } from './verifyProtocol';

/** What became of a row: of its turn (waiting: not settled yet), by a repair (rewritten, merged, left out, made up), or that it is no part of the conversation. */
export const rowStates = ['complete', 'interrupted', 'failed', 'waiting', 'repaired', 'hidden'] as const;
export type RowState = (typeof rowStates)[number];

/** Which rows are wanted. `hidden`: also those that are no part of the conversation; with the state `repaired` or `hidden` they are wanted anyway. */
const rowFilter = v.object({
  role: v.nullable(v.picklist(['user', 'assistant', 'tool'])),
  state: v.nullable(v.picklist(rowStates)),
  hidden: v.boolean(),
});
export type RowFilter = v.InferOutput<typeof rowFilter>;

export const rowForms = ['markdown', 'json', 'text'] as const;
export type RowForm = (typeof rowForms)[number];

/** Payloads of the transcript tab. It shows what is stored and changes nothing by itself: what it offers is done where a person can see it done. */
export const transcriptCommands = {
  ...verifyCommands,
  ...codeCommands,
  /** `around`: the row the person was at when the page was last seen; null: at the end. */
  ready: v.object({ filter: rowFilter, around: v.nullable(v.string()) }),
  /** `messageUid` null: the session as it was left. */
  openInChat: v.object({ messageUid: v.nullable(v.string()) }),
  branchFrom: v.object({ messageUid: v.string() }),
  /** Asks first, and says how many turns go. */
  rewindTo: v.object({ messageUid: v.string() }),
  exportSession: v.object({}),
  /** The tab goes to another session of the tree of branches; `messageUid`: to this row of it. */
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
  /** The search with this number is not wanted any more; its request is answered with `cancelled`. */
  cancelFind: v.object({ search: v.number() }),
  showLog: v.object({}),
} as const;

/** Which of the rows that pass the filter: the newest · those before or behind a position · those around a row, which may stand in any segment. */
const rowsWanted = v.variant('kind', [
  v.object({ kind: v.literal('end') }),
  v.object({ kind: v.literal('start') }),
  v.object({ kind: v.literal('before'), position: v.number() }),
  v.object({ kind: v.literal('after'), position: v.number() }),
  v.object({ kind: v.literal('around'), messageUid: v.string() }),
]);
export type RowsWanted = v.InferOutput<typeof rowsWanted>;

export const transcriptRequests = {
  ...verifyRequests,
  ...codeRequests,
  loadRows: v.object({
    sessionId: v.string(),
    wanted: rowsWanted,
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2000)),
    filter: rowFilter,
  }),
  /** Every stored row that passes the filter and holds the text. `search` is a number given by the view; a new search ends the one before. */
  findRows: v.object({
    search: v.number(),
    sessionId: v.string(),
    filter: rowFilter,
    text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(1000)),
    matchCase: v.boolean(),
  }),
  /** What a row said before it was rewritten, oldest first. */
  revisions: v.object({ messageUid: v.string() }),
  /** The row as the file holds it; null where it is gone. */
  rawRow: v.object({ messageUid: v.string() }),
} as const;

export interface TranscriptResults extends VerifyResults, CodeResults {
  readonly loadRows: TranscriptRows;
  readonly findRows: { readonly kind: 'cancelled' } | { readonly kind: 'found'; readonly uids: readonly string[] };
  readonly revisions: readonly RowRevision[];
  /** JSON, indented. */
  readonly rawRow: string | null;
}

/** Rows that follow each other in the transcript as it is filtered, with all that is stored about them. */
export interface TranscriptRows {
  readonly messages: readonly Message[];
  /** Place of each of `messages` among all stored rows of the session, from 1. */
  readonly numbers: readonly number[];
  /** Of those rows. */
  readonly turns: readonly StoredTurn[];
  readonly approvals: readonly StoredApproval[];
  /** Rows that a repair merged into one of these. */
  readonly absorbed: readonly { readonly into: string; readonly uid: string; readonly number: number }[];
  /** Numbers of rows that one of these was merged into. */
  readonly absorbers: readonly { readonly uid: string; readonly number: number }[];
  /** Those of these rows that were rewritten. */
  readonly revised: readonly string[];
  /** How many rows that pass the filter stand ahead of these, and behind them. */
  readonly earlier: number;
  readonly later: number;
  /** Rows that pass the filter. */
  readonly matching: number;
  /** All stored rows of the session. */
  readonly total: number;
  /** Of all stored rows, how many are in each state. */
  readonly counts: Readonly<Record<RowState, number>>;
  /** The first one first; more than one where the session was compressed. */
  readonly segments: readonly TranscriptSegment[];
}

export interface StoredTurn {
  readonly turn: Turn;
  /** Place among the turns of the session, from 1. */
  readonly number: number;
  readonly files: readonly TurnFile[];
  /** The ways its prompt was asked, oldest first, itself among them; empty where there is one. */
  readonly versions: readonly { readonly turnUid: string; readonly firstUid: string }[];
}

export interface TurnFile {
  /** Relative to the session's folder where it lies in there. */
  readonly path: string;
  readonly kind: 'created' | 'edited' | 'deleted' | 'unknown';
  readonly reviewed: 'kept' | 'reverted' | 'partly' | null;
}

/** What was asked of the person, and what became of it. */
export type StoredApproval = Pick<Approval, 'id' | 'messageUid' | 'callId' | 'requestedAt' | 'state'> & {
  readonly subject: string;
  readonly rules: readonly string[];
};

/** A part of the session that the model was sent as it is. A later part begins with a summary of the earlier ones. */
export interface TranscriptSegment {
  readonly sessionId: string;
  readonly firstUid: string;
  readonly lastUid: string;
  /** The summary it begins with; null for the first part. */
  readonly handoffUid: string | null;
  readonly tokens: HandoffTokens | null;
}

export interface RowRevision {
  /** Seconds since the epoch: when it was replaced. */
  readonly revisedAt: number;
  readonly parts: readonly Part[];
  /** From this to what came next, as a unified diff; null where nothing changed that can be read. */
  readonly diff: string | null;
}

/** A session of the tree of branches that the one shown is in. */
export interface TranscriptBranch {
  readonly conversationId: string;
  /** What is opened. */
  readonly tipId: string;
  readonly title: string | null;
  readonly parentConversationId: string | null;
  /** The message of the parent that it was branched from; null for the root, and for a branch of everything. */
  readonly branchedFrom: string | null;
  /** A session in which a sub-agent worked for its parent. */
  readonly subAgent: boolean;
  readonly lastActiveAt: number;
  readonly turnCount: number;
}

export interface TranscriptNotifications extends VerifyNotifications {
  readonly bootstrap: TranscriptState;
  /** Rows changed on disk: the tab reads again. */
  readonly changed: { readonly sessionId: string };
  readonly reveal: { readonly messageUid: string };
  /** The session was renamed, archived, or goes on in another segment. */
  readonly session: Session;
  /** A parent before its branches, the root first. */
  readonly branches: readonly TranscriptBranch[];
  /** How far a search has come, in rows. */
  readonly findProgress: { readonly search: number; readonly done: number; readonly total: number };
}

export interface TranscriptState {
  readonly session: Session | null;
  readonly rows: TranscriptRows | null;
  readonly branches: readonly TranscriptBranch[];
  /** The folder that the session belongs to, where that is not this window's; null for this one. `openInChat` brings it over. */
  readonly otherFolder: string | null;
  /** Seconds since the epoch: when the copy was made in which another folder's session is read; null for one of this window. */
  readonly readAt: number | null;
  /** Why nothing can be shown, in words. */
  readonly problem: string | null;
  readonly reveal: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
