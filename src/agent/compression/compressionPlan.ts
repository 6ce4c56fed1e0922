import { isHandoff } from '../../transcript/handoff';
import type { Message } from '../../transcript/message';
import { isSteering } from '../../transcript/steering';
import { estimateRows } from '../../transcript/contextUse';

/** Which rows a summary would stand for, and which go along as they are. */
export interface CompressionPlan {
  /** The summary that begins this segment, where it was compressed before: it is brought up to date, not summarised again. */
  readonly earlier: Message | null;
  readonly summarised: readonly Message[];
  readonly kept: readonly Message[];
  /** Uid of the last row the summary stands for. */
  readonly upTo: string;
  /** The prompt of a turn that is cut in two: summarised with its first steps, and kept ahead of its latest ones. Null where no turn is. */
  readonly prompt: Message | null;
}

/** Tokens that rows may take and still stay as they are. */
export interface TailRoom {
  readonly tail: number;
  /** Beyond it even the last turn is cut in two. At least `tail`. */
  readonly longestTurn: number;
}

/** Fewer rows are not worth a summary. */
const fewestRows = 2;

/** Plans a compression of a segment's active rows. What is kept begins with a prompt, so that no group of calls and results is cut: as many
 *  turns as the tail takes, and always the last prompt that has an answer. Where that turn alone is too long, or nothing is ahead of it, what
 *  is kept of it is its prompt and, as far as the tail takes, its latest steps; at least the last. Null when everything is protected. Pure. */
export function planCompression(rows: readonly Message[], { tail, longestTurn }: TailRoom): CompressionPlan | null {
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

/** Cuts the turn that begins at `prompt` ahead of one of its requests. */
function cutTurn(rows: readonly Message[], prompt: number, tail: number): CompressionPlan | null {
  const { turnUid } = rows[prompt] ?? {};
  const steps = rows.flatMap((row, index) =>
    index > prompt && row.role === 'assistant' && row.turnUid === turnUid ? [index] : [],
  );
  const border = steps.find((index) => estimateRows(rows.slice(index)) <= tail) ?? steps.at(-1);
  // Ahead of its first step there is nothing but the prompt, which stays.
  return border === undefined || border === prompt + 1 ? null : cutAt(rows, border, prompt);
}

function cutAt(rows: readonly Message[], cut: number, promptAt: number | null): CompressionPlan | null {
  const begin = beginsWithHandoff(rows) ? 1 : 0;
  const last = rows[cut - 1];
  const prompt = promptAt === null ? null : (rows[promptAt] ?? null);
  if (last === undefined || cut - begin - (prompt === null ? 0 : 1) < fewestRows) return null;
  const behind = rows.slice(cut);
  return {
    earlier: begin === 0 ? null : (rows[0] ?? null),
    summarised: rows.slice(begin, cut),
    kept: prompt === null ? behind : [prompt, ...behind],
    upTo: last.uid,
    prompt,
  };
}

function beginsWithHandoff(rows: readonly Message[]): boolean {
  return rows[0] !== undefined && isHandoff(rows[0]);
}
