import type { StopReason } from '../../../../transcript/stopReason';
import type { ForeignMessage, ForeignSession, SessionFacts, Skipped } from './foreign';
import type { HistoryPlaces } from './historyPlaces';
import type { SourceName } from '../../../../transcript/sourceTitles';

/** Result of `findIn`: a session, or a file that holds none that can be read. */
export type Found =
  | { readonly kind: 'session'; readonly session: ForeignSession }
  | { readonly kind: 'skipped'; readonly skipped: Skipped };

/** Event of `read`. `records` is the number of records of the source that the event stands for.
 *  message: one message, made of one or more records.
 *  facts: records that say something about the session; later facts replace earlier ones.
 *  ended: the turn in progress ended for this reason, other than with an answer.
 *  skipped: one record that was not imported, with its reason.
 *  end: the last event, with the number of records that came in. */
export type ReadEvent =
  | { readonly kind: 'message'; readonly message: ForeignMessage; readonly records: number }
  | { readonly kind: 'facts'; readonly facts: Partial<SessionFacts>; readonly records: number }
  | { readonly kind: 'ended'; readonly reason: StopReason; readonly records: number }
  | { readonly kind: 'skipped'; readonly skipped: Skipped; readonly records: 1 }
  | { readonly kind: 'end'; readonly records: number };

/** Sessions of one agent. Sources are only read: nothing is written, locked or moved where they are. Neither method
 *  throws for damaged content; it is skipped with a reason. Both throw when a folder or file that exists cannot be
 *  read. Memory is flat: a session is never loaded whole. */
export interface HistorySource {
  readonly name: SourceName;
  /** Paths of the files that hold sessions. Lists folders and reads settings, and opens no session. */
  locate(places: HistoryPlaces): AsyncIterable<string>;
  /** Sessions in one file, wherever it is. */
  findIn(path: string): AsyncIterable<Found>;
  read(session: ForeignSession): AsyncIterable<ReadEvent>;
}

/** Counts of a reading: `in` = `imported` + `skipped`. */
export interface ReadCounts {
  /** Records that came in, as the source counted them. */
  readonly in: number;
  /** Records that became a part of a message or a fact about the session. */
  readonly imported: number;
  readonly skipped: number;
  readonly messages: number;
}

export const noCounts: ReadCounts = { in: 0, imported: 0, skipped: 0, messages: 0 };

/** Returns the counts after one more event. */
export function counted(before: ReadCounts, event: ReadEvent): ReadCounts {
  switch (event.kind) {
    case 'message':
      return { ...before, imported: before.imported + event.records, messages: before.messages + 1 };
    case 'facts':
    case 'ended':
      return { ...before, imported: before.imported + event.records };
    case 'skipped':
      return { ...before, skipped: before.skipped + 1 };
    case 'end':
      return { ...before, in: before.in + event.records };
  }
}
