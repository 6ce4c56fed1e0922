import { closingResult, endsTurn } from '../../../../transcript/closingText';
import { callsIn, joinAnswers } from '../../../../transcript/joinedRows';
import type { NewMessage } from '../../../../transcript/message';
import type { ToolCallPart, ToolResultPart } from '../../../../transcript/part';

/** A row before it has a position. */
interface Entry {
  readonly row: NewMessage;
  /** Rows of the results of its calls, in the order in which they arrived. */
  readonly results: NewMessage[];
  /** Calls without a result. */
  readonly open: ToolCallPart[];
}

/** Rows of the turn in progress, in order. Results are put directly after the row of their call, as providers require
 *  it; other agents run tools in parallel and store results in the order in which they end. */
export class TurnBuffer {
  private entries: Entry[] = [];
  private calls = new Map<string, Entry>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(row: NewMessage): void {
    const isSent = row.visibility.kind !== 'hidden';
    const open = isSent && row.role === 'assistant' ? callsIn(row.parts) : [];
    const entry: Entry = { row, results: [], open: [...open] };
    this.entries.push(entry);
    this.count++;
    for (const { callId } of open) this.calls.set(callId, entry);
  }

  /** Joins a row to the answer that it directly follows for the model: providers refuse two in a row. Null: there is
   *  none. */
  join(row: NewMessage): NewMessage | null {
    const index = this.entries.findLastIndex((entry) => entry.row.visibility.kind !== 'hidden');
    const before = this.entries[index]?.row;
    if (before?.role !== 'assistant' || row.role !== 'assistant' || row.visibility.kind === 'hidden') return null;
    if (before.turnUid !== row.turnUid || !endsTurn(before)) return null;
    const joined = joinAnswers(before, row);
    const open = [...callsIn(joined.parts)];
    const entry: Entry = { row: joined, results: [], open };
    this.entries[index] = entry;
    for (const { callId } of open) this.calls.set(callId, entry);
    return joined;
  }

  /** Returns false when no call waits for this result. */
  answer(result: ToolResultPart, row: NewMessage): boolean {
    const entry = this.calls.get(result.callId);
    const index = entry?.open.findIndex(({ callId }) => callId === result.callId) ?? -1;
    if (entry === undefined || index === -1) return false;
    entry.open.splice(index, 1);
    if (!entry.open.some(({ callId }) => callId === result.callId)) this.calls.delete(result.callId);
    entry.results.push(row);
    this.count++;
    return true;
  }

  /** Name of the call that waits for this result. */
  nameOf(callId: string): string | null {
    return this.calls.get(callId)?.open.find((call) => call.callId === callId)?.name ?? null;
  }

  /** Takes rows up to the first one that still waits for a result. */
  takeAnswered(): readonly NewMessage[] {
    const waiting = this.entries.findIndex(({ open }) => open.length > 0);
    return this.take(waiting === -1 ? this.entries.length : waiting);
  }

  /** Takes all rows. Calls without a result get one that says so. */
  takeAll(at: number): readonly NewMessage[] {
    for (const { row, results, open } of this.entries)
      for (const call of new Map(open.map((one) => [one.callId, one])).values()) {
        results.push(closingResult(row, call, 'interrupted', at));
        this.count++;
      }
    return this.take(this.entries.length);
  }

  private take(count: number): readonly NewMessage[] {
    const taken = this.entries.slice(0, count).flatMap(({ row, results }) => [row, ...results]);
    this.entries = this.entries.slice(count);
    this.count -= taken.length;
    if (this.entries.length === 0) this.calls.clear();
    return taken;
  }
}
