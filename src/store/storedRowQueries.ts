import type { Approval } from '../transcript/approval';
import type { HiddenReason, Message, Role } from '../transcript/message';
import type { Turn } from '../transcript/turn';
import type { ConversationBranch } from './conversations';
import type { FileChange } from './fileChanges';

/** Stored rows as the transcript tab looks at them: hidden ones too, wherever in the session they stand. Part of `SessionOperations`; one call is
 *  one transaction. What goes over a whole session is asked for in slices, so that a turn's writes never wait for it. */
export interface StoredRowQueries {
  /** The session's rows behind `after`, in order and in short; fewer than `limit` at the end. A row that repeats one of an earlier segment is left out. */
  transcriptOutline(query: TranscriptSlice): readonly OutlineRow[];
  /** Which of the next `limit` rows behind `after` hold the text, as `storedText` gives it. */
  findInTranscript(query: TranscriptSlice & StoredTextQuery): FoundRows;
  /** Those of the rows that are stored, in order, with all that belongs to them. */
  transcriptRows(uids: readonly string[]): StoredRows;
  /** The row column by column, as any other SQLite reads it, with the chunks that are not folded into it yet. Of `api_content` only how long it is: it is
   *  never shown. Null when it is not stored. */
  storedRow(uid: string): StoredRow | null;
  /** Sessions in which sub-agents worked for these conversations, and those that worked for them, oldest first. */
  subAgentsOf(conversationIds: readonly string[]): readonly ConversationBranch[];
}

export interface TranscriptSlice {
  /** Any segment: the transcript is the conversation's. */
  readonly sessionId: string;
  /** Rows behind this position; null: from the first one. */
  readonly after: number | null;
  readonly limit: number;
}

export interface StoredTextQuery {
  readonly text: string;
  readonly matchCase: boolean;
}

export interface OutlineRow {
  readonly uid: string;
  /** The segment it stands in. */
  readonly sessionId: string;
  readonly turnUid: string | null;
  readonly position: number;
  readonly role: Role;
  readonly visibility: 'shown' | 'closing' | 'handoff' | 'hidden';
  readonly hiddenReason: HiddenReason | null;
  readonly absorbedInto: string | null;
  /** What became of its turn; null where it has none. */
  readonly turn: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed' | null;
  /** It was rewritten, and what it said before is kept. */
  readonly revised: boolean;
}

export interface FoundRows {
  readonly uids: readonly string[];
  /** Position of the last row that was read; null: there was none. */
  readonly upTo: number | null;
  readonly read: number;
}

export interface StoredRows {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly approvals: readonly Approval[];
  readonly fileChanges: readonly FileChange[];
}

export interface StoredRow {
  readonly columns: Readonly<Record<string, string | number | null>>;
  /** Characters of the exact text it was sent with, where that is not what it says; null where none is stored. */
  readonly wireTextLength: number | null;
  readonly chunks: readonly Readonly<Record<string, string | number | null>>[];
}
