import type { NewMessage } from '../../transcript/message';

/** Rows that are remembered. A compaction leaves a model the beginning and the end of a conversation, not hundreds of
 *  rows. */
const mostCarried = 400;

/** Rows of a segment that a model still gets after a compaction. They are repeated in the next segment, as our own
 *  compression does it. Without them when there are too many. */
export class CarriedRows {
  private rows: NewMessage[] = [];
  private hasTooMany = false;

  keep(row: NewMessage): void {
    if (this.hasTooMany) return;
    this.rows.push(row);
    if (this.rows.length <= mostCarried) return;
    this.hasTooMany = true;
    this.rows = [];
  }

  /** The rows for the next segment: calls with all their results, and nothing without its call. */
  take(sessionId: string): readonly NewMessage[] {
    const kept = this.rows;
    this.rows = [];
    this.hasTooMany = false;
    const ordered = wholeGroups(kept);
    const carried = ordered.map((row) => ({
      ...row,
      uid: `${sessionId}/${row.uid}`,
      sessionId,
      carriedFrom: row.carriedFrom ?? row.uid,
    }));
    // The rows stay with the model: a further compaction may leave them too.
    for (const row of carried) this.keep(row);
    return carried;
  }
}

function wholeGroups(rows: readonly NewMessage[]): readonly NewMessage[] {
  const results = new Map<string, NewMessage>();
  for (const row of rows) if (row.role === 'tool') results.set(row.parts[0].callId, row);
  return rows.flatMap((row): readonly NewMessage[] => {
    if (row.role === 'tool') return [];
    const calls = row.parts.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []));
    const answers = [...new Set(calls)].map((callId) => results.get(callId));
    const found = answers.filter((answer) => answer !== undefined);
    return found.length === answers.length ? [row, ...found] : [];
  });
}
