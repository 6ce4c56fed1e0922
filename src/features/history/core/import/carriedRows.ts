import type { NewMessage } from '../../../../transcript/message';
import type { ForeignMessage } from '../sources/foreign';

/** Rows that are remembered. A compaction leaves a model the beginning and the end of a conversation, not hundreds of
 *  rows. */
const mostCarried = 400;

interface Remembered {
  readonly messageId: string;
  readonly row: NewMessage;
  /** The model still gets it, as far as the message itself says. */
  readonly isShown: boolean;
}

/** Rows of a segment that a model still gets after a compaction. They are repeated in the next segment, as our own
 *  compression does it. */
export class CarriedRows {
  private rows: Remembered[] = [];
  private shown = 0;

  keep(messageId: string, row: NewMessage, isShown: boolean): void {
    this.rows.push({ messageId, row, isShown });
    if (isShown) this.shown++;
    if (this.rows.length > mostCarried) this.rows.shift();
  }

  /** Replaces the newest row by one that holds its content, too. */
  replaceLast(messageId: string, row: NewMessage, isShown: boolean): void {
    this.rows.pop();
    this.keep(messageId, row, isShown);
  }

  /** The rows for the next segment: calls with all their results, and nothing without its call. `kept`: the messages
   *  that the summary names. Default: those that are shown, and none when there are too many. */
  take(sessionId: string, kept: ForeignMessage['keeps']): readonly NewMessage[] {
    const isKept = ({ messageId, isShown }: Remembered): boolean =>
      kept === undefined ? isShown && this.shown <= mostCarried : kept(messageId);
    const found = this.rows.filter(isKept);
    this.rows = [];
    this.shown = 0;
    const ids = new Map(found.map(({ row, messageId }) => [row.uid, messageId]));
    return wholeGroups(found.map(({ row }) => row)).map((row) => {
      const carried = {
        ...row,
        uid: `${sessionId}/${row.uid}`,
        sessionId,
        carriedFrom: row.carriedFrom ?? row.uid,
      };
      // The row stays with the model: a further compaction may leave it too.
      this.keep(ids.get(row.uid) ?? '', carried, true);
      return carried;
    });
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
