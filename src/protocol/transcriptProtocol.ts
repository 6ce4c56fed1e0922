import * as v from 'valibot';
import type { Message } from '../transcript/message';
import type { Part } from '../transcript/part';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';

/** Payloads of the transcript tab. It shows what is stored and changes nothing by itself: what it offers is done where a person can see it done. */
export const transcriptCommands = {
  ready: v.object({}),
  /** `messageUid` null: the session as it was left. */
  openInChat: v.object({ messageUid: v.nullable(v.string()) }),
  branchFrom: v.object({ messageUid: v.string() }),
  /** Asks first, and says how many turns go. */
  rewindTo: v.object({ messageUid: v.string() }),
  exportSession: v.object({}),
  /** The tab goes to another session of the tree of branches; `messageUid`: to this row of it. */
  goTo: v.object({ sessionId: v.string(), messageUid: v.nullable(v.string()) }),
  copy: v.object({ text: v.string() }),
  openLink: v.object({ href: v.string() }),
} as const;

/** Which rows: the newest · those before or behind a position · those around a row, which may stand in any segment. */
const rowsWanted = v.variant('kind', [
  v.object({ kind: v.literal('end') }),
  v.object({ kind: v.literal('before'), position: v.number() }),
  v.object({ kind: v.literal('after'), position: v.number() }),
  v.object({ kind: v.literal('around'), messageUid: v.string() }),
]);
export type RowsWanted = v.InferOutput<typeof rowsWanted>;

export const transcriptRequests = {
  loadRows: v.object({ sessionId: v.string(), wanted: rowsWanted, limit: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
  /** What a row said before it was rewritten, oldest first. */
  revisions: v.object({ messageUid: v.string() }),
} as const;

export interface TranscriptResults {
  readonly loadRows: TranscriptRows;
  readonly revisions: readonly RowRevision[];
}

export interface TranscriptRows {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly hasEarlier: boolean;
  /** Rows behind the last one of these. */
  readonly later: number;
  readonly total: number;
}

export interface RowRevision {
  /** Seconds since the epoch: when it was replaced. */
  readonly revisedAt: number;
  readonly parts: readonly Part[];
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
  readonly lastActiveAt: number;
  readonly turnCount: number;
}

export interface TranscriptNotifications {
  readonly bootstrap: TranscriptState;
  /** Rows changed on disk: the tab reads again. */
  readonly changed: { readonly sessionId: string };
  readonly reveal: { readonly messageUid: string };
  /** The session was renamed, archived, or goes on in another segment. */
  readonly session: Session;
  /** A parent before its branches, the root first. */
  readonly branches: readonly TranscriptBranch[];
}

export interface TranscriptState {
  readonly session: Session | null;
  readonly rows: TranscriptRows | null;
  readonly branches: readonly TranscriptBranch[];
  /** The folder that the session belongs to, where that is not this window's; null for this one. `openInChat` brings it over. */
  readonly otherFolder: string | null;
  /** Why nothing can be shown, in words. */
  readonly problem: string | null;
  readonly reveal: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
