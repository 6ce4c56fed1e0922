import { createHash } from 'node:crypto';
import { numberOf, textOf } from '../reading/fields';
import type { ForeignRow } from '../reading/foreignDatabase';
import { summaryIn } from './hermesMessage';

/** Rows that a compaction wrote again beside its summary. */
export interface HermesCopies {
  /** True for a row that repeats an earlier one. */
  isCopy(id: number): boolean;
  /** True for a row whose copy after the newest summary is what the model still gets. Copies of the first messages do
   *  not count: they may be a prompt without its answer, and the summary tells them. */
  isKept(id: number): boolean;
}

interface Mark {
  readonly id: number;
  readonly digest: string;
  readonly isPrompt: boolean;
  readonly time: number | null;
  readonly isSummary: boolean;
  readonly isActive: boolean;
}

/** Most rows that a compaction keeps from the beginning of a session. */
const longestHead = 20;

/** Finds the copies. A compaction keeps the first and the last messages: rows before its summary repeat the beginning
 *  of the session, and rows after it repeat the end of what was there. `before`: rows of the session that this one
 *  continues, if any. Rows in order. */
export function hermesCopies(before: Iterable<ForeignRow>, rows: Iterable<ForeignRow>): HermesCopies {
  const [copies, kept] = [new Set<number>(), new Set<number>()];
  const parents = [...before].map((row) => markOf(row));
  const own = [...rows].map((row) => markOf(row));
  const originals = parents.filter(({ isSummary }) => !isSummary);
  let seen = 0;
  own.forEach((summary, index) => {
    if (!summary.isSummary) return;
    const between = own.slice(seen, index).filter(({ id }) => !copies.has(id));
    const head = headCopies(originals, between);
    originals.push(...between.slice(0, between.length - head));
    const prompt = repeatedPrompt(originals, own[index + 1]);
    const after = own.slice(index + (prompt === null ? 1 : 2));
    const tail = tailCopies(originals, after);
    for (const { id } of between.slice(between.length - head)) copies.add(id);
    const pairs = after
      .slice(0, tail)
      .map((copy, place) => [copy, originals[originals.length - tail + place]] as const);
    for (const [copy, original] of [...(prompt === null ? [] : [prompt]), ...pairs]) {
      copies.add(copy.id);
      if (original !== undefined && copy.isActive) kept.add(original.id);
    }
    seen = index + 1;
  });
  return { isCopy: (id) => copies.has(id), isKept: (id) => kept.has(id) };
}

/** Number of rows at the end of `rows` that repeat the first originals. */
function headCopies(originals: readonly Mark[], rows: readonly Mark[]): number {
  for (let count = Math.min(longestHead, rows.length); count > 0; count--) {
    const start = rows.length - count;
    // Without an earlier session or summary, the originals are among the rows, and are no longer sent.
    const from = originals.length > 0 ? originals : rows.slice(0, start).filter(({ isActive }) => !isActive);
    if (from.length >= count && rows.slice(start).every(({ digest }, index) => digest === from[index]?.digest))
      return count;
  }
  return 0;
}

/** Finds a prompt that is written again right after the summary, because its turn continues while its first answers
 *  are summarized. Such a copy has the time of its original. */
function repeatedPrompt(
  originals: readonly Mark[],
  row: Mark | undefined,
): readonly [copy: Mark, original: Mark] | null {
  if (row?.isPrompt !== true || row.time === null) return null;
  const original = originals.findLast(({ digest, time }) => digest === row.digest && time === row.time);
  return original === undefined ? null : [row, original];
}

/** Number of rows at the beginning of `rows` that repeat the last originals. */
function tailCopies(originals: readonly Mark[], rows: readonly Mark[]): number {
  const next = rows.findIndex(({ isSummary }) => isSummary);
  for (let count = Math.min(originals.length, next === -1 ? rows.length : next); count > 0; count--) {
    const start = originals.length - count;
    const isEnd = originals[originals.length - 1]?.digest === rows[count - 1]?.digest;
    if (isEnd && rows.slice(0, count).every(({ digest }, index) => digest === originals[start + index]?.digest))
      return count;
  }
  return 0;
}

function markOf(row: ForeignRow): Mark {
  const content = textOf(row, 'content') ?? '';
  const fields = [textOf(row, 'role'), content, textOf(row, 'tool_call_id'), textOf(row, 'tool_calls')];
  return {
    id: numberOf(row, 'id') ?? 0,
    digest: createHash('sha256').update(JSON.stringify(fields)).digest('base64'),
    isPrompt: textOf(row, 'role') === 'user',
    time: numberOf(row, 'timestamp'),
    isSummary: numberOf(row, '_compressed_summary') === 1 || summaryIn(content) !== null,
    isActive: numberOf(row, 'active') !== 0,
  };
}
