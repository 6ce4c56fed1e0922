import type { SessionOrigin, TitleSource } from '../transcript/session';
import type { StopReason } from '../transcript/stopReason';
import type { TurnOutcome } from '../transcript/turn';
import type { Usage } from '../transcript/usage';

/** Identity of a source's content, as a later import compares it. */
export interface ImportMark {
  /** Cheap signs of the source (size, time, counts): equal ones mean that there is nothing to read. */
  readonly stamp: string;
  /** Number of messages before the last turn, and a digest of them: a later import continues there. */
  readonly messages: number;
  readonly digest: string;
  /** The same of all messages. */
  readonly total: number;
  readonly whole: string;
  /** Result of `beginImport`. */
  readonly begun: BegunImport;
}

/** absent: never imported. erased: imported, and then erased by the user. stored: it is here. `mark` is null when it
 *  cannot be read, and `isChanged` is true when rows were added or changed here. `lastActiveAt`: seconds since the
 *  epoch. */
export type StoredImport =
  | { readonly state: 'absent' }
  | { readonly state: 'erased' }
  | {
      readonly state: 'stored';
      readonly mark: ImportMark | null;
      readonly isChanged: boolean;
      readonly lastActiveAt: number;
    };

/** Relation to an imported session. A missing parent is left out. A compression becomes a branch when the parent is
 *  continued already, or was changed here. */
export interface ImportLineage {
  readonly parentId: string;
  readonly kind: 'compression' | 'branch' | 'delegate';
}

export interface BeginImport {
  readonly sessionId: string;
  readonly lineage: ImportLineage | null;
  readonly startedAt: number;
}

export interface BegunImport {
  /** True when it will continue its parent's conversation: then its first row must be a handoff. */
  readonly isContinuation: boolean;
  /** The number before its first position. */
  readonly start: number;
}

/** A further segment of the session; it continues the segment before it. */
export interface ImportedSegment {
  readonly id: string;
  readonly parentId: string;
  readonly startedAt: number;
}

export interface ImportedTurn {
  readonly uid: string;
  readonly sessionId: string;
  readonly userMessageUid: string;
  readonly model: string;
  readonly startedAt: number;
  readonly settledAt: number;
  readonly outcome: TurnOutcome;
  readonly stopReason: StopReason;
  readonly usage: Usage | null;
}

/** A row of `messages` as the store writes it. */
export type ImportedRow = readonly (string | number | null | Uint8Array)[];

export interface ImportBatch {
  readonly sessionId: string;
  readonly segments: readonly ImportedSegment[];
  readonly rows: readonly ImportedRow[];
  readonly turns: readonly ImportedTurn[];
}

/** Facts about the whole session, known after its last message. */
export interface ImportedFacts {
  readonly title: string | null;
  readonly titleSource: TitleSource;
  /** First prompt. */
  readonly prompt: string | null;
  readonly lastActiveAt: number;
  readonly usage: Usage | null;
  readonly mark: ImportMark;
}

export interface FinishImport extends ImportedFacts {
  readonly sessionId: string;
  /** As at the beginning. */
  readonly lineage: ImportLineage | null;
  readonly startedAt: number;
  readonly folder: string | null;
  readonly origin: SessionOrigin;
}

export interface ImportWhole {
  readonly batch: ImportBatch;
  readonly finish: FinishImport;
}

export interface ExtendImport extends ImportBatch, ImportedFacts {
  /** Digest of the mark that is replaced. */
  readonly since: string;
  /** Rows from this position on are replaced. */
  readonly from: number;
}
