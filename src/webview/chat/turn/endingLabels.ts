import type { Message } from '../../../protocol/transcriptTypes';
import { t, shownList } from '../../localization';
import { outcomeLabel, type FinishedTurn } from '../../turnLabels';
import { shownIn } from '../state/conversationRows';

/** Returns the announcement for the end of a turn. `isUrgent` is false when it can wait for the end of a sentence. */
export function endingLabels(
  turn: FinishedTurn,
  messages: readonly Message[],
): { readonly isUrgent: boolean; readonly text: string } {
  const parts = messages.flatMap((message) =>
    message.role === 'assistant' && message.visibility.kind === 'shown' ? message.parts : [],
  );
  const shown = shownIn(parts);
  const ended = outcomeLabel(turn, shown);
  if (ended === null)
    return {
      isUrgent: false,
      text: finishedText(shown.wordCount, parts.filter(({ kind }) => kind === 'toolCall').length),
    };
  if (ended.tone === 'info')
    return { isUrgent: false, text: turn.stopReason === 'user' ? t('Answer stopped') : ended.sentence };
  return { isUrgent: true, text: ended.sentence };
}

/** "Hermes finished: 3 tools, 240 words". */
function finishedText(count: number, tools: number): string {
  const facts = [
    ...(tools === 0 ? [] : [tools === 1 ? t('1 tool') : t('{count} tools', { count: tools })]),
    count === 1 ? t('1 word') : t('{count} words', { count }),
  ];
  return t('Hermes finished: {facts}', { facts: shownList(facts) });
}
