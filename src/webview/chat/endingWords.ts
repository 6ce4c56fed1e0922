import type { Message } from '../../protocol/transcriptWords';
import { t } from '../localization';
import { outcomeWords, type SettledTurn } from '../turnWords';

/** What is said aloud when a turn ends, and whether it can wait for the end of a sentence. */
export function endingWords(
  turn: SettledTurn,
  messages: readonly Message[],
): { readonly isUrgent: boolean; readonly words: string } {
  const { words, tools } = counted(messages);
  const ended = outcomeWords(turn, words);
  if (ended === null) return { isUrgent: false, words: finishedWords(words, tools) };
  if (ended.tone === 'info')
    return { isUrgent: false, words: turn.stopReason === 'user' ? t('Answer stopped') : ended.sentence };
  return { isUrgent: true, words: ended.sentence };
}

function counted(messages: readonly Message[]): { readonly words: number; readonly tools: number } {
  const parts = messages.flatMap((message) =>
    message.role === 'assistant' && message.visibility.kind === 'shown' ? message.parts : [],
  );
  const words = parts.reduce(
    (sum, part) => sum + (part.kind === 'text' ? (part.text.match(/\S+/g)?.length ?? 0) : 0),
    0,
  );
  return { words, tools: parts.filter(({ kind }) => kind === 'toolCall').length };
}

/** "Hermes finished: 3 tools, 240 words". */
function finishedWords(words: number, tools: number): string {
  const facts = [
    ...(tools === 0 ? [] : [tools === 1 ? t('1 tool') : t('{count} tools', { count: tools })]),
    words === 1 ? t('1 word') : t('{count} words', { count: words }),
  ];
  return t('Hermes finished: {facts}', { facts: facts.join(', ') });
}
