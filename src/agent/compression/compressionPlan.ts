import { isHandoff } from '../../transcript/handoff';
import type { Message } from '../../transcript/message';
import { isSteering } from '../../transcript/steering';
import { estimateRows } from './contextUse';

/** Which rows a summary would stand for, and which go along as they are. */
export interface CompressionPlan {
  /** The summary that begins this segment, where it was compressed before: it is brought up to date, not summarised again. */
  readonly earlier: Message | null;
  readonly summarised: readonly Message[];
  readonly kept: readonly Message[];
  /** Uid of the last row the summary stands for. */
  readonly upTo: string;
}

/** Fewer rows are not worth a summary. */
const fewestRows = 2;

/** Plans a compression of a segment's active rows. What is kept begins with a prompt, so that no group of calls and results is cut, and holds
 *  at least the last prompt with everything behind it and the last answer; beyond that as many turns as `tailTokens` take. Null when
 *  everything is protected. Pure. */
export function planCompression(rows: readonly Message[], tailTokens: number): CompressionPlan | null {
  const first = rows[0];
  const earlier = first !== undefined && isHandoff(first) ? first : null;
  const begin = earlier === null ? 0 : 1;
  const prompts = rows.flatMap((row, index) => (index > begin && row.role === 'user' && !isSteering(rows, index) ? [index] : []));
  const latest = prompts.findLast((index) => rows.slice(index).some((row) => row.role === 'assistant'));
  if (latest === undefined) return null;
  const border = prompts.find((index) => estimateRows(rows.slice(index)) <= tailTokens) ?? latest;
  const cut = Math.min(border, latest);
  const last = rows[cut - 1];
  if (last === undefined || cut - begin < fewestRows) return null;
  return { earlier, summarised: rows.slice(begin, cut), kept: rows.slice(cut), upTo: last.uid };
}
