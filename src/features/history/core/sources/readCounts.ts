import type { ReadEvent } from './historySource';

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
