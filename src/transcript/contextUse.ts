import { estimateTokens, imageTokens } from './tokenEstimate';
import type { Message } from './message';
import type { Part } from './part';

/** Tokens that the conversation uses of the model's context. `counted`: most of them were counted by the model's own
 *  service. */
export interface ContextUse {
  readonly tokens: number;
  readonly counted: boolean;
}

/** The count that came with the newest answer, plus an estimate of the rows after it. Without a count: an estimate
 *  of all rows. */
export function contextUse(rows: readonly Message[], sentAs?: SentAs): ContextUse {
  const anchor = rows.findLastIndex((row) => countedWith(row) !== null);
  const counted = rows[anchor] === undefined ? null : countedWith(rows[anchor]);
  if (counted === null) return { tokens: estimateRows(rows, sentAs), counted: false };
  return { tokens: counted + estimateRows(rows.slice(anchor + 1), sentAs), counted: true };
}

/** Tokens of the history up to and including this answer, as counted by the model's service; null without a count, also
 *  where a service reports 0. A carried row has the count of its original history, which does not apply here. */
export function countedWith(row: Message): number | null {
  if (row.role !== 'assistant' || row.carriedFrom !== null) return null;
  const { inputTokens = null, outputTokens = null } = row.usage ?? {};
  return inputTokens === null || inputTokens === 0 ? null : inputTokens + (outputTokens ?? 0);
}

/** Texts that are sent instead of the stored text of rows, by row uid. */
type SentAs = ReadonlyMap<string, string>;

/** Tokens for the frame of a message: its role and separators. */
const rowOverhead = 4;

export function estimateRows(rows: readonly Message[], sentAs?: SentAs): number {
  return rows.reduce((sum, row) => {
    const text = sentAs?.get(row.uid);
    const parts: readonly Part[] = text === undefined ? row.parts : row.parts.filter(({ kind }) => kind !== 'text');
    return (
      sum +
      parts.reduce(
        (tokens, part) => tokens + estimatePart(part),
        rowOverhead + (text === undefined ? 0 : estimateTokens(text)),
      )
    );
  }, 0);
}

function estimatePart(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return estimateTokens(part.text);
    case 'toolResult':
      return estimateTokens(part.text) + (part.images?.length ?? 0) * imageTokens;
    case 'attachment':
      return estimateTokens(part.label) + estimateTokens(part.text);
    case 'toolCall':
      return estimateTokens(part.name) + estimateTokens(part.arguments);
    case 'image':
      return imageTokens;
    default:
      return part satisfies never;
  }
}
