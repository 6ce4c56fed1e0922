import { isHandoff } from '../../transcript/handoff';
import type { Message } from '../../transcript/message';
import { isSteering } from '../../transcript/steering';
import { estimateRows } from '../../transcript/contextUse';

/** The rows that a summary replaces, and the rows that are kept unchanged. */
export interface CompressionPlan {
  /** The summary that begins this segment, if it was compressed before. It is updated, not summarized again. */
  readonly earlier: Message | null;
  readonly summarised: readonly Message[];
  readonly kept: readonly Message[];
  /** Uid of the last row that the summary covers. */
  readonly upTo: string;
  /** The prompt of a turn that is cut in two. It is summarized with the turn's first steps, and also kept before its
   *  latest ones. Null when no turn is cut. */
  readonly prompt: Message | null;
}

/** Tokens of rows that may stay unchanged. */
interface TailLimits {
  readonly tail: number;
  /** If the last turn is longer than this, it is cut in two too. At least `tail`. */
  readonly longestTurn: number;
}

/** Fewer rows are not worth a summary. */
const fewestRows = 2;

/** Plans a compression of a segment's active rows. The kept rows begin with a prompt, so that no group of calls and
 *  results is split. They are as many turns as fit in the tail, and always include the last prompt that has an
 *  answer. If that turn alone is too long, or nothing comes before it, only its prompt and its latest steps are
 *  kept. These are as many steps as fit in the tail, at least the last. Null when everything is protected. Pure. */
export function planCompression(rows: readonly Message[], { tail, longestTurn }: TailLimits): CompressionPlan | null {
  const begin = beginsWithHandoff(rows) ? 1 : 0;
  const prompts = rows.flatMap((row, index) =>
    index >= begin && row.role === 'user' && !isSteering(rows, index) ? [index] : [],
  );
  const latest = prompts.findLast((index) => rows.slice(index).some((row) => row.role === 'assistant'));
  if (latest === undefined) return null;
  const border = prompts.find((index) => index > begin && estimateRows(rows.slice(index)) <= tail) ?? latest;
  const whole = cutAt(rows, Math.min(border, latest), null);
  if (whole !== null && estimateRows(rows.slice(latest)) <= longestTurn) return whole;
  return cutTurn(rows, latest, tail) ?? whole;
}

/** Cuts the turn that begins at `prompt` before one of its requests. */
function cutTurn(rows: readonly Message[], prompt: number, tail: number): CompressionPlan | null {
  const { turnUid } = rows[prompt] ?? {};
  const steps = rows.flatMap((row, index) =>
    index > prompt && row.role === 'assistant' && row.turnUid === turnUid ? [index] : [],
  );
  const border = steps.find((index) => estimateRows(rows.slice(index)) <= tail) ?? steps.at(-1);
  // Before its first step there is only the prompt, which stays.
  return border === undefined || border === prompt + 1 ? null : cutAt(rows, border, prompt);
}

function cutAt(rows: readonly Message[], cut: number, promptAt: number | null): CompressionPlan | null {
  const begin = beginsWithHandoff(rows) ? 1 : 0;
  const last = rows[cut - 1];
  const prompt = promptAt === null ? null : (rows[promptAt] ?? null);
  if (last === undefined || cut - begin - (prompt === null ? 0 : 1) < fewestRows) return null;
  const after = rows.slice(cut);
  return {
    earlier: begin === 0 ? null : (rows[0] ?? null),
    summarised: rows.slice(begin, cut),
    kept: prompt === null ? after : [prompt, ...after],
    upTo: last.uid,
    prompt,
  };
}

function beginsWithHandoff(rows: readonly Message[]): boolean {
  return rows[0] !== undefined && isHandoff(rows[0]);
}
