import { maskSecrets } from '../../models/secrecy/secrecy';
import { estimateTokens } from '../../transcript/contextUse';
import { isContinuation } from '../../transcript/continuation';
import { promptWithLabels } from '../../transcript/draftPart';
import { answerText, type Message } from '../../transcript/message';
import type { Part } from '../../transcript/part';

/** Characters. A longer tool result is reduced to its size: the model can look up the content again. */
const longestResult = 200;
const longestArguments = 500;
/** Maximum characters of a single text, tried from the largest until everything fits. */
const textLimits = [12_000, 4000, 1200, 400] as const;

/** Returns the rows as text for the model that summarizes: secrets removed, long results and arguments cut. At most
 *  about `maxTokens`; if even short extracts do not fit, the oldest rows are dropped. Pure. */
export function summaryInput(rows: readonly Message[], maxTokens: number): string {
  let lines: readonly string[] = [];
  for (const limit of textLimits) {
    lines = rows.flatMap((row) => describe(row, limit));
    if (estimateTokens(lines.join('\n\n')) <= maxTokens) return lines.join('\n\n');
  }
  return newestThatFit(lines, maxTokens).join('\n\n');
}

function newestThatFit(lines: readonly string[], maxTokens: number): readonly string[] {
  let left = maxTokens;
  const first = lines.findLastIndex((line) => (left -= estimateTokens(line) + 1) < 0);
  return lines.slice(first + 1);
}

function describe(row: Message, limit: number): readonly string[] {
  // The fixed rows (of an empty turn, and of one that continues an answer) contain nothing about the work.
  if (row.visibility.kind === 'closing' || isContinuation(row)) return [];
  const parts = row.parts.flatMap((part) => describePart(part, limit));
  if (parts.length === 0) return [];
  return [`[${row.role === 'user' ? 'person' : row.role === 'tool' ? 'tool' : 'you'}]\n${parts.join('\n')}`];
}

function describePart(part: Part, limit: number): readonly string[] {
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [clip(maskSecrets(part.text), limit)];
    case 'thinking':
      return [];
    case 'toolCall':
      return [`called ${part.name} ${clip(maskSecrets(part.arguments), longestArguments)}`];
    case 'toolResult':
      if (part.text.length > longestResult)
        return [`${part.name}: ${part.outcome}, ${part.text.length} characters (left out)`];
      return [`${part.name}: ${part.outcome}: ${maskSecrets(part.text)}`];
    case 'attachment':
      return [`(sent along: ${part.label})`, clip(maskSecrets(part.text), longestResult)];
    case 'image':
      return [`(an image${part.name === undefined ? '' : ` named ${part.name}`})`];
    default:
      return part satisfies never;
  }
}

/** Summarizes the rows without a model: the prompts and answers, clipped, and the arguments of the tool calls. */
export function plainSummary(rows: readonly Message[], earlier: string | null, maxTokens: number): string {
  const texts = rows.flatMap((row): readonly string[] => {
    const text = maskSecrets(row.role === 'user' ? promptWithLabels(row.parts) : answerText(row.parts).trim());
    const calls = row.parts.flatMap((part) =>
      part.kind === 'toolCall' ? [`- ${part.name} ${clip(maskSecrets(part.arguments), 160)}`] : [],
    );
    if (row.role === 'user') return text === '' || isContinuation(row) ? [] : [`Person: ${clip(text, 600)}`];
    if (row.role === 'tool' || row.visibility.kind === 'closing') return [];
    return [...(text === '' ? [] : [`You: ${clip(text, 600)}`]), ...calls];
  });
  const before = earlier === null ? [] : [clip(earlier, 8000), ''];
  return [
    ...before,
    'What was said and done since, shortened without a summary because none could be written:',
    ...newestThatFit(texts, maxTokens),
  ].join('\n');
}

/** Returns the beginning and the end of a text that is too long. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit * 0.7);
  return (
    `${text.slice(0, head).toWellFormed()} … (${text.length - limit} characters left out) … ` +
    `${text.slice(text.length - (limit - head)).toWellFormed()}`
  );
}
