import type { Role } from '../transcript/message';

/** Repairs of stored sessions that a check found broken, with preview and undo. */
export interface RepairOperations {
  /** Returns the changes that `repairSession` would make. Stores nothing. */
  previewRepair(input: RepairSession): readonly RepairedRow[];
  /** Applies the steps in their order, all or nothing. A step whose damage is gone changes nothing. Returns the
   *  changed rows. A repeated call with the same `repairId` returns what is stored. */
  repairSession(input: RepairSession): readonly RepairedRow[];
  /** Restores the rows as they were before a repair. Throws `invalid`, with a sentence, when one of them changed
   *  since, or the repair is unknown. */
  undoRepair(sessionId: string, repairId: string): void;
  /** Repairs of the session that were not undone, newest first. */
  repairsOf(sessionId: string): readonly StoredRepair[];
}

/** One change that removes one kind of damage.
 *  fold: text that arrived becomes part of its message, which is final. · reread: a damaged row gets what of it can be
 *  read. · hide: a row leaves the transcript; it stays stored. · arguments: a call gets arguments that can be read. ·
 *  renameCall: a call and its result get an id of their own. · unlink: references to rows that are not stored are
 *  removed. · closeTurn: calls get results, and the turn an end. · settleTurn: as closeTurn, for a turn that waits for
 *  nothing. · sequence: the rules of docs/sequence-repair.md. · recount: counts of messages and calls. · detach: a
 *  parent or first segment that is not stored is removed. · reopen: a session that ended by compression, and is not
 *  continued, can be continued. · restoreSession: rows without a session get one. · expireApproval: a question that no
 *  turn waits for expires. · moveTurn: a turn belongs to the conversation of its session. · rebuildIndex: the search
 *  index is built again. */
export type RepairStep =
  | { readonly kind: 'fold' | 'reread' | 'unlink'; readonly uid: string }
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

export interface RepairSession {
  /** Set by the caller so that a repeated request repairs once. */
  readonly repairId: string;
  /** The session under which the repair is kept for its undo. */
  readonly sessionId: string;
  readonly steps: readonly RepairStep[];
  /** Seconds since the epoch. */
  readonly at: number;
}

export type RepairedTable = 'messages' | 'sessions' | 'turns' | 'approvals' | 'queue' | 'file_changes';

export interface RepairedRow {
  readonly table: RepairedTable;
  readonly id: string;
  /** Of a message; null for rows of other tables. */
  readonly role: Role | null;
  /** Null: the repair makes the row. */
  readonly before: RowContent | null;
  readonly after: RowContent;
}

export interface RowContent {
  /** Text of a message, shortened; of other rows the changed columns. */
  readonly text: string;
  readonly isHidden: boolean;
}

export interface StoredRepair {
  readonly repairId: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly rows: number;
}
