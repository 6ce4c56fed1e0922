import type { Role } from '../transcript/message';
import type { RepairStep } from '../transcript/rules/rule';
import { read, write } from './storeMethod';

/** Repairs of stored sessions that a check found broken, with preview and undo. */
export const repairMethods = {
  /** Returns the changes that `repairSession` would make. Stores nothing. */
  previewRepair: read<(input: RepairSession) => readonly RepairedRow[]>(),
  /** Applies the steps in their order, all or nothing. A step whose damage is gone changes nothing. Returns the
   *  changed rows. A repeated call with the same `repairId` returns what is stored. */
  repairSession: write<(input: RepairSession) => readonly RepairedRow[]>(),
  /** Restores the rows as they were before a repair. Throws `invalid`, with a sentence, when one of them changed
   *  since, or the repair is unknown. */
  undoRepair: write<(sessionId: string, repairId: string) => void>(),
  /** Repairs of the session that were not undone, newest first. */
  repairsOf: read<(sessionId: string) => readonly StoredRepair[]>(),
};

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
