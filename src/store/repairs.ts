import type { Role } from '../transcript/message';
import type { RepairStep } from '../transcript/rules/rule';

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
