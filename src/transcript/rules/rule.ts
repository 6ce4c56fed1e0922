import type { CheckedSession } from './checkedSession';

/** One change that removes one kind of damage.
 *  fold: text that arrived becomes part of its message, which is final. · reread: a damaged row gets what of it can
 *  be read. · hide: a row leaves the transcript; it stays stored. · show: a row comes back that nothing else shows. ·
 *  arguments: a call gets arguments that can be read. · renameCall: a call and its result get an id of their own. ·
 *  unlink: references to rows that are not stored are removed. · closeTurn: calls get results, and the turn an end. ·
 *  settleTurn: as closeTurn, for a turn that waits for nothing. · sequence: the rules of docs/sequence-repair.md. ·
 *  recount: counts of messages and calls. · detach: a parent or first segment that is not stored is removed. ·
 *  reopen: a session that ended by compression, and is not continued, can be continued. · restoreSession: rows
 *  without a session get one. · expireApproval: a question that no turn waits for expires. · moveTurn: a turn belongs
 *  to the conversation of its session. · rebuildIndex: the search index is built again. */
export type RepairStep =
  | { readonly kind: 'fold' | 'reread' | 'show' | 'unlink'; readonly uid: string }
  | { readonly kind: 'hide'; readonly uid: string; readonly absorbedInto: string | null }
  | { readonly kind: 'arguments'; readonly uid: string; readonly callId: string; readonly arguments: string }
  | { readonly kind: 'renameCall'; readonly uid: string; readonly callId: string; readonly to: string }
  | { readonly kind: 'closeTurn' | 'settleTurn' | 'moveTurn'; readonly turnUid: string }
  | {
      readonly kind: 'sequence' | 'recount' | 'detach' | 'reopen' | 'restoreSession';
      readonly sessionId: string;
    }
  | { readonly kind: 'expireApproval'; readonly approvalId: string }
  | { readonly kind: 'rebuildIndex' };

/** Damage at one place of a session. */
export interface Found {
  /** Null: the session as a whole. */
  readonly row: string | null;
  /** A name, id or reason to find it by. Default: none. */
  readonly detail?: string;
  /** Mends it in our store. Default: nothing does. */
  readonly steps?: readonly RepairStep[];
}

/** A session as the rules of lineage see it. */
export interface LineageFacts {
  readonly id: string;
  readonly parentId: string | null;
  readonly isContinuation: boolean;
  /** Ended because a compression continued it. */
  readonly isCompressed: boolean;
  /** Messages that the session says it has; null when it does not say, or another rule counts them. */
  readonly counted: number | null;
  /** True when it has rows; for a continuation in our store, the row that begins it. */
  readonly hasRows: boolean;
}

/** A query over the tables of our store. It returns what is damaged as `uid`. */
export interface TableQuery {
  readonly sql: string;
  /** The row that a `uid` names. `other`: a row of no session. */
  readonly subject: 'session' | 'message' | 'turn' | 'approval' | 'other';
  mends(uid: string, sessionId: string): readonly RepairStep[];
}

/** One kind of damage: the sentences that a user reads, how it is found, and how it is mended. */
export interface Rule {
  /** Title in a few words, and the consequence in one or two sentences. */
  readonly text: () => readonly [title: string, meaning: string];
  /** Finds it among the rows of a session. */
  readonly inSession?: (session: CheckedSession) => readonly Found[];
  /** Finds it among all sessions of a file. */
  readonly inLineage?: (
    sessions: ReadonlyMap<string, LineageFacts>,
  ) => readonly (Omit<Found, 'row'> & { readonly session: string })[];
  /** Finds it in the tables of our store. */
  readonly inTables?: readonly TableQuery[];
}
