import { t } from '../../localization';
import type { FinishedTurn } from '../../turnLabels';
import { useChat } from '../state/chat';

/** Failure details for a support request: texts of the program, the service and the system. */
export function FailureDetails({ id, turn }: { readonly id: string; readonly turn: FinishedTurn }) {
  const chat = useChat();
  const text = details(turn);
  return (
    <div class="failure-details" id={id}>
      <pre class="tool-text" tabIndex={0} dir="ltr">
        {text}
      </pre>
      <button type="button" class="button secondary compact" onClick={() => chat.copy(text)}>
        {t('Copy Details')}
      </button>
    </div>
  );
}

function details(turn: FinishedTurn): string {
  const { failure } = turn;
  const lines = [
    t('Turn {turn} of session {session}', { turn: turn.uid, session: turn.sessionId }),
    turn.model,
    turn.stopReason,
  ];
  return [...lines, ...(failure === null ? [] : [failure.cause, failure.sentence, failure.technical])].join('\n');
}
