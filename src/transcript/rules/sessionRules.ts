import { parseJsonObject } from '../json';
import { FreeIds, sameCall } from '../callIds';
import { callsIn } from '../joinedRows';
import type { RepairReason } from '../sequenceRepair';
import type { CheckedSession, CheckedRow } from './checkedSession';
import type { Found } from './rule';

/** Rows of a repeated range, at least. Shorter ones may be what the user asked twice. */
const shortestRange = 4;
/** Seconds between a prompt and its double. */
const samePrompt = 5;

/** Rows that repeat an earlier one, by id, with the id of that row. Equal texts alone prove nothing ("ok" is said
 *  often), so a double also has the same time, the same calls, or a whole range that repeats the one before it. In a
 *  session that was written here only a row of the same time is a double: a model may name and make two calls alike. */
function doubledRows(session: CheckedSession): ReadonlyMap<string, string> {
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

/** Characters of the end that may be left out. */
const mostCut = 200;

/** The whole JSON object that the beginning of one stands for: open texts, lists and objects are closed, and an
 *  unfinished last member is left out. `{}` when nothing can be read. */
function completedJson(cut: string): string {
  // From the end: the longest beginning that can be closed.
  for (let end = cut.length; end > 0; end--) {
    const closed = closedAt(cut.slice(0, end));
    if (closed !== null) return closed;
    if (cut.length - end > mostCut) break;
  }
  return '{}';
}

function closedAt(text: string): string | null {
  const open: string[] = [];
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isText && character === '\\') index++;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) open.push(character === '{' ? '}' : ']');
    else if (!isText && (character === '}' || character === ']')) open.pop();
  }
  const closed = `${text.replace(isText ? /\\$/ : /[\s,]+$/, '')}${isText ? '"' : ''}${open.toReversed().join('')}`;
  return parseJsonObject(closed).kind === 'object' ? closed : null;
}

/** What `repairSequence` would hide for a reason. A segment that another continues is never sent again. */
export function hiddenBy(reason: Exclude<RepairReason, 'unansweredCall'>) {
  return (session: CheckedSession): readonly Found[] => {
    if (session.isContinued) return [];
    const rows = new Map(session.rows.map((row) => [row.message.uid, row]));
    return session.repair.hidden.flatMap(({ uid, why }): readonly Found[] => {
      const row = rows.get(uid);
      if (why !== reason || row === undefined) return [];
      const detail = row.message.role === 'tool' ? { detail: row.message.parts[0].callId } : {};
      return [{ row: row.id, ...detail, steps: sequence(session) }];
    });
  };
}

export function unansweredCalls(session: CheckedSession): readonly Found[] {
  if (session.isContinued) return [];
  return session.repair.answered.flatMap(({ message }) => {
    const { callId } = message.parts[0];
    const row = session.rows.find((one) => message.uid === `${one.message.uid}/result/${callId.toWellFormed()}`);
    if (row === undefined || isStillRunning(session, row.id)) return [];
    return [{ row: row.id, detail: callId, steps: sequence(session) }];
  });
}

function sequence({ id }: CheckedSession) {
  return [{ kind: 'sequence', sessionId: id }] as const;
}

/** True for the last calls of a session that another program may be working on. */
function isStillRunning({ kind, isEnded, rows }: CheckedSession, rowId: string): boolean {
  if (kind === 'own' || isEnded) return false;
  const index = rows.findIndex(({ id }) => id === rowId);
  return rows.slice(index + 1).every(({ message }) => message.role === 'tool');
}

/** Results that no answer follows: the next prompt comes directly after them. In our store, turns show it. */
export function resultsAtEnd({ kind, rows, isEnded }: CheckedSession): readonly Found[] {
  if (kind === 'own') return [];
  return rows.flatMap(({ id, message }, index) => {
    const next = rows[index + 1]?.message;
    const isEnd = next === undefined ? isEnded : next.role === 'user';
    return message.role === 'tool' && isEnd ? [{ row: id }] : [];
  });
}

/** The last prompt of an ended session, if it was never answered. */
export function promptAtEnd({ kind, rows, isEnded, isContinued }: CheckedSession): readonly Found[] {
  const last = rows.at(-1);
  if (kind === 'own' || !isEnded || isContinued) return [];
  return last?.message.role === 'user' ? [{ row: last.id }] : [];
}

/** Calls with an id that an earlier answer used: the result of one may be taken for that of the other. */
export function doubledCallIds(session: CheckedSession): readonly Found[] {
  if (session.isContinued) return [];
  const doubled = doubledRows(session);
  const free = new FreeIds();
  return session.rows.flatMap(({ id, message }): readonly Found[] => {
    if (message.role !== 'assistant' || doubled.has(id)) return [];
    if (message.turnUid !== null && message.turnUid === session.openTurnUid) return [];
    // Two calls of one answer under one id are answered in order.
    const calls = callsIn(message.parts);
    const own = calls.filter(
      (call, index) => calls.findIndex((other) => sameCall(other.callId, call.callId)) === index,
    );
    return own.flatMap(({ callId }): readonly Found[] => {
      const to = free.take(callId);
      if (to === callId) return [];
      return [{ row: id, detail: callId, steps: [{ kind: 'renameCall', uid: id, callId, to }] }];
    });
  });
}

/** Calls whose arguments end in the middle. In our store such a call has a failed result that says so, unless
 *  something else wrote it. */
export function cutArguments(session: CheckedSession): readonly Found[] {
  return session.rows.flatMap(({ id, cutCalls }, index) =>
    cutCalls
      .filter(({ callId }) => session.kind === 'hermes' || isAnsweredAsDone(session, index, callId))
      .map(({ callId, name, arguments: text }) => ({
        row: id,
        detail: name,
        steps: [{ kind: 'arguments', uid: id, callId, arguments: completedJson(text) }] as const,
      })),
  );
}

function isAnsweredAsDone({ rows }: CheckedSession, index: number, callId: string): boolean {
  for (let next = rows[++index]; next?.message.role === 'tool'; next = rows[++index]) {
    const [result] = next.message.parts;
    if (sameCall(result.callId, callId)) return result.outcome === 'done';
  }
  return false;
}

export function rowsTwice(session: CheckedSession): readonly Found[] {
  return [...doubledRows(session)].map(([row, first]) => ({
    row,
    detail: first,
    steps: [{ kind: 'hide', uid: row, absorbedInto: first }],
  }));
}

/** Rows that a program wrote for its own retries. */
export function scaffolding({ rows }: CheckedSession): readonly Found[] {
  return rows
    .filter(({ isScaffolding }) => isScaffolding)
    .map(({ id }) => ({ row: id, steps: [{ kind: 'hide', uid: id, absorbedInto: null }] }));
}

/** Answers without text, thinking and calls, which some providers refuse. Our requests say so in their place. */
export function emptyAnswers({ rows, kind }: CheckedSession): readonly Found[] {
  return kind === 'own' ? [] : rows.filter(({ isEmpty }) => isEmpty).map(({ id }) => ({ row: id }));
}

export function damagedRows({ rows }: CheckedSession): readonly Found[] {
  return rows.flatMap(({ id, damage }) =>
    damage === null ? [] : [{ row: id, detail: damage, steps: [{ kind: 'reread', uid: id }] as const }],
  );
}
