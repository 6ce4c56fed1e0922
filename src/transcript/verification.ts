import type { DeliveredKind } from './part';

/** same: what was shown is what is stored · more: and more of it is stored than was shown · missing: less is stored than was shown, or other
 *  text · unread: what is stored of it could not be read, so it is neither held nor missing · unwitnessed: no view has kept what it showed of
 *  this. */
export type WitnessVerdict = 'same' | 'more' | 'missing' | 'unread' | 'unwitnessed';

/** A shown part that is not on disk as it was shown. */
export interface MissingPart {
  readonly messageUid: string;
  readonly part: number;
  readonly kind: DeliveredKind;
  /** In UTF-16 units. */
  readonly shown: number;
  /** Of the stored part; null where there is none. */
  readonly stored: number | null;
}

/** A message of which less was read than was shown, since reading the rest failed. */
export interface UnreadMessage {
  readonly messageUid: string;
  /** Characters shown of it that were not found in what could be read. */
  readonly shown: number;
  /** Why, as a sentence. */
  readonly sentence: string;
}

/** One turn of a session, compared with what views showed of it. */
export interface VerifiedTurn {
  readonly turnUid: string;
  /** Its first row that is stored; null where none is. */
  readonly messageUid: string | null;
  /** Place among the turns of the session that are shown, from 1; null for one that was taken back or replaced. */
  readonly number: number | null;
  /** Seconds since the epoch; null where its row is gone. */
  readonly at: number | null;
  readonly verdict: WitnessVerdict;
  /** Its messages with a witness. */
  readonly witnessed: readonly string[];
  /** Characters that were shown, by the witness. */
  readonly shown: number;
  /** Of these, those that are on disk as they were shown. */
  readonly onDisk: number;
  /** Characters of text and thinking that are stored. */
  readonly stored: number;
  readonly missing: readonly MissingPart[];
  readonly unread: readonly UnreadMessage[];
}

/** Something about the stored rows that is not as it must be. */
export interface StorageFinding {
  readonly sentence: string;
  /** The row it is about, where it is one. */
  readonly messageUid: string | null;
}

/** What Verify Session found. */
export interface Verification {
  readonly sessionId: string;
  /** Seconds since the epoch. */
  readonly at: number;
  readonly turns: readonly VerifiedTurn[];
  /** Turns of the session that are shown. */
  readonly turnCount: number;
  readonly rows: number;
  readonly shown: number;
  readonly onDisk: number;
  readonly findings: readonly StorageFinding[];
  /** Why some of the rows could not be read, each reason once, as a sentence. */
  readonly unread: readonly string[];
  /** Why the file as a whole was not checked, as a sentence; null where it was. */
  readonly fileUnchecked: string | null;
  /** What else a person has to know to read this rightly; null where nothing. */
  readonly note: string | null;
}
