import { callsIn } from '../joinedRows';
import type { CheckedRow, CheckedSession } from './checkedSession';

/** Rows of a repeated range, at least. Shorter ones may be what the user asked twice. */
const shortestRange = 4;
/** Seconds between a prompt and its double. */
const samePrompt = 5;

/** Rows that repeat an earlier one, by id, with the id of that row. Equal texts alone prove nothing ("ok" is said
 *  often), so a double also has the same time, the same calls, or a whole range that repeats the one before it. In a
 *  session that was written here only a row of the same time is a double: a model may name and make two calls alike. */
export function doubledRows(session: CheckedSession): ReadonlyMap<string, string> {
  if (session.isContinued) return new Map();
  const { rows, isImported } = session;
  const keyOf = (row: CheckedRow): string => (isImported ? row.digest : `${row.message.createdAt} ${row.digest}`);
  const doubled = new Map<string, string>();
  const byMoment = new Map<string, string>();
  const byCalls = new Map<string, string>();
  const add = (row: CheckedRow, first: CheckedRow | string | undefined): void => {
    const id = typeof first === 'string' ? first : first?.id;
    if (id !== undefined && !doubled.has(row.id)) doubled.set(row.id, doubled.get(id) ?? id);
  };
  rows.forEach((row, index) => {
    const { message, digest } = row;
    const before = rows[index - 1];
    // A time with a fraction comes from a clock; whole seconds may be rounded.
    const moment = message.createdAt % 1 === 0 ? null : `${message.createdAt} ${digest}`;
    if (moment !== null) add(row, byMoment.get(moment));
    if (moment !== null && !byMoment.has(moment)) byMoment.set(moment, row.id);
    const calls = message.role === 'assistant' ? callsIn(message.parts) : [];
    if (calls.length > 0) {
      add(row, byCalls.get(keyOf(row)));
      if (!byCalls.has(keyOf(row))) byCalls.set(keyOf(row), row.id);
    }
    if (message.role === 'tool' && before !== undefined && doubled.has(before.id)) {
      const first = rows.find((one) => keyOf(one) === keyOf(row));
      if (first !== row) add(row, first);
    }
    if (session.kind === 'hermes' && message.role === 'user' && isSamePrompt(before, row)) add(row, before);
  });
  for (const [from, length] of repeatedRanges(rows.map(keyOf)))
    for (let index = from; index < from + length; index++) {
      const row = rows[index];
      if (row !== undefined) add(row, rows[index - length]);
    }
  return doubled;
}

function isSamePrompt(before: CheckedRow | undefined, row: CheckedRow): boolean {
  return (
    before !== undefined &&
    before.digest === row.digest &&
    Math.abs(row.message.createdAt - before.message.createdAt) <= samePrompt
  );
}

/** Ranges that repeat the one directly before them: their first index and their length. */
function repeatedRanges(keys: readonly string[]): readonly (readonly [from: number, length: number])[] {
  const found: (readonly [number, number])[] = [];
  const last = new Map<string, number>();
  for (const [index, key] of keys.entries()) {
    const length = index - (last.get(key) ?? index);
    last.set(key, index);
    if (length < shortestRange) continue;
    const isRepeated = keys.slice(index, index + length).every((one, offset) => one === keys[index - length + offset]);
    if (isRepeated && index + length <= keys.length) found.push([index, length]);
  }
  return found;
}
