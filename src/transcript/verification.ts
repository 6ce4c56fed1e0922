import type { DeliveredKind } from './part';

/** same: the shown text is stored. more: it is stored, and more than was shown. missing: less is stored than was
 *  shown, or other text. unread: its stored text could not be read, so it is neither stored nor missing.
 *  unreported: no view has a delivery report for it. */
export type DeliveryVerdict = 'same' | 'more' | 'missing' | 'unread' | 'unreported';

/** Shown part that is not on disk as it was shown. */
export interface MissingPart {
  readonly messageUid: string;
  readonly part: number;
  readonly kind: DeliveredKind;
  /** In UTF-16 units. */
  readonly shown: number;
  /** Length of the stored part; null when there is none. */
  readonly stored: number | null;
}

/** Message of which less was read than was shown, because reading the rest failed. */
export interface UnreadMessage {
  readonly messageUid: string;
  /** Shown characters that were not found in the readable text. */
  readonly shown: number;
  /** Reason, as a sentence. */
  readonly sentence: string;
}

/** One turn of a session, compared with the delivery reports of views. */
export interface VerifiedTurn {
  readonly turnUid: string;
  /** Its first stored row; null when none is stored. */
  readonly messageUid: string | null;
  /** Number among the shown turns of the session, from 1; null for a turn that was taken back or replaced. */
  readonly number: number | null;
  /** Seconds since the epoch; null when its row is gone. */
  readonly at: number | null;
  readonly verdict: DeliveryVerdict;
  /** Its messages with a delivery report. */
  readonly reported: readonly string[];
  /** Characters that were shown, by the delivery report. */
  readonly shown: number;
  /** Number of these characters that are on disk as they were shown. */
  readonly onDisk: number;
  /** Stored characters of text and thinking. */
  readonly stored: number;
  readonly missing: readonly MissingPart[];
  readonly unread: readonly UnreadMessage[];
}

/** Inconsistency in the stored rows. */
export interface StorageFinding {
  readonly sentence: string;
  /** Affected row; null when it is not about a single row. */
  readonly messageUid: string | null;
}

/** What a server has of a session that several machines share, compared with the disk. Turns and single messages are
 *  counted. */
export interface ServerAccount {
  readonly same: number;
  /** Changed here, and not on the server yet. */
  readonly waiting: number;
  /** Those of which the server has other messages than the disk. */
  readonly different: readonly string[];
  /** Reason why the server was not compared, as a sentence; null when it was. */
  readonly unread: string | null;
}

/** Result of Verify Session. */
export interface Verification {
  readonly sessionId: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly turns: readonly VerifiedTurn[];
  /** Number of shown turns of the session. */
  readonly turnCount: number;
  readonly rows: number;
  readonly shown: number;
  readonly onDisk: number;
  readonly findings: readonly StorageFinding[];
  /** Reasons why some rows could not be read, each once, as sentences. */
  readonly unread: readonly string[];
  /** Reason why the file as a whole was not checked, as a sentence; null when it was. */
  readonly fileUnchecked: string | null;
  /** Absent: the history is not synchronized. */
  readonly server?: ServerAccount;
  /** Further facts that the user needs to interpret the result; null when there are none. */
  readonly note: string | null;
}
