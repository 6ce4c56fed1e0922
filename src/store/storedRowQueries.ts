import type { Approval } from '../transcript/approval';
import type { HiddenReason, Message, Role } from '../transcript/message';
import type { Turn } from '../transcript/turn';
import type { ConversationBranch } from './conversations';
import type { FileChange } from './fileChanges';
import { read } from './storeMethod';

/** Stored rows for the transcript tab: includes hidden ones, from any segment. Part of `SessionOperations`; one call
 *  is one transaction. Callers read a whole session in slices, so that a turn's writes never wait. */
export const storedRowMethods = {
  /** Short forms of the session's rows after `after`, in order; fewer than `limit` at the end. Excludes a row that
   *  repeats one of an earlier segment. */
  transcriptOutline: read<(query: TranscriptSlice) => readonly OutlineRow[]>(),
  /** Those of the next `limit` rows after `after` that contain the text, searched in `storedText`. */
  findInTranscript: read<(query: TranscriptSlice & StoredTextQuery) => FoundRows>(),
  /** The stored rows among these, in order, with all data that belongs to them. */
  transcriptRows: read<(uids: readonly string[]) => StoredRows>(),
  /** The row column by column, as any other SQLite reads it, with its unfolded chunks. Of `api_content` only the
   *  length: it is never shown. Null when the row is not stored. */
  storedRow: read<(uid: string) => StoredRow | null>(),
  /** Sessions of sub-agents that worked for these conversations, and of sub-agents that worked for those, oldest
   *  first. */
  subAgentsOf: read<(conversationIds: readonly string[]) => readonly ConversationBranch[]>(),
};

export interface TranscriptSlice {
  /** Any segment: the transcript is that of the conversation. */
  readonly sessionId: string;
  /** Rows after this position; null: from the first one. */
  readonly after: number | null;
  readonly limit: number;
}

export interface StoredTextQuery {
  readonly text: string;
  readonly matchCase: boolean;
}

export interface OutlineRow {
  readonly uid: string;
  /** The row's segment. */
  readonly sessionId: string;
  readonly turnUid: string | null;
  readonly position: number;
  readonly role: Role;
  readonly visibility: 'shown' | 'closing' | 'handoff' | 'hidden';
  readonly hiddenReason: HiddenReason | null;
  readonly absorbedInto: string | null;
  /** State or outcome of its turn; null when it has none. */
  readonly turn: 'running' | 'waiting' | 'complete' | 'interrupted' | 'failed' | null;
  /** True when it was rewritten; its earlier content is kept. */
  readonly revised: boolean;
}

export interface FoundRows {
  readonly uids: readonly string[];
  /** Position of the last row that was read; null when there was none. */
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
  /** Length, in characters, of the exact text that was sent, if that differs from the row's text; null when none is
   *  stored. */
  readonly wireTextLength: number | null;
  readonly chunks: readonly Readonly<Record<string, string | number | null>>[];
}
