import { Icon } from '../../Icon';
import { t } from '../../localization';
import { actionWord, outcomeWords, type OutcomeAction, type SettledTurn } from '../../turnWords';
import { answerWords, type TurnBlock } from '../conversationRows';
import { useChat } from './ChatContext';

/** How a turn ended, where it is worth a word, and what can be done now. Retry and Continue belong to the last turn only. */
export function TurnOutcome({ block, turn }: { readonly block: TurnBlock; readonly turn: SettledTurn }) {
  const chat = useChat();
  const words = outcomeWords(turn, answerWords(block));
  if (words === null) return null;
  const busy = chat.submitting.value || chat.running.value !== null;
  const actions = words.actions.filter((action) => block.isLast || action === 'copyDetails');
  const act: Readonly<Record<OutcomeAction, () => void>> = {
    retry: () => void chat.retry(turn.uid),
    continue: () => void chat.continueAnswer(turn.uid),
    chooseModel: () => chat.chooseModel(),
    setUpModel: () => chat.runAction('setUpModel'),
    copyDetails: () => chat.copy(details(turn)),
  };
  return (
    <div class={`notice notice-${words.tone}`} role={block.isLast && words.tone !== 'info' ? 'alert' : undefined}>
      <Icon name={words.tone} />
      <div class="notice-body">
        <span>{words.sentence}</span>
        {actions.length > 0 && (
          <span class="notice-actions">
            {actions.map((action, index) => (
              <button
                type="button"
                key={action}
                class={`button compact${index === 0 && words.tone === 'error' && block.isLast ? '' : ' secondary'}`}
                disabled={busy && (action === 'retry' || action === 'continue')}
                onClick={act[action]}
              >
                {actionWord(action)}
              </button>
            ))}
          </span>
        )}
      </div>
    </div>
  );
}

function details(turn: SettledTurn): string {
  const { failure } = turn;
  const lines = [t('Turn {turn} of session {session}', { turn: turn.uid, session: turn.sessionId }), turn.model, turn.stopReason];
  return [...lines, ...(failure === null ? [] : [failure.cause, failure.sentence, failure.technical])].join('\n');
}
