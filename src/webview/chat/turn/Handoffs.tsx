import { t } from '../../localization';
import type { FinishedTurn } from '../../turnLabels';
import { AgentController } from '../pickers/agentController';
import { useChat } from '../state/chat';

/** Next steps that the session's custom agent offers after its answer. */
export function Handoffs({ turn }: { readonly turn: FinishedTurn }) {
  const chat = useChat();
  const agents = chat.part(AgentController);
  const { chosen, offered } = agents.of(turn.sessionId);
  const handoffs = offered.find(({ name }) => name === chosen)?.handoffs ?? [];
  if (turn.outcome !== 'complete' || handoffs.length === 0) return null;
  return (
    <div class="handoffs" role="group" aria-label={t('Next Steps')}>
      {handoffs.map((handoff) => (
        <button
          type="button"
          key={handoff.label}
          class="button secondary compact"
          title={[handoff.agent ?? t('Hermes'), handoff.prompt].filter((line) => line !== '').join(': ')}
          disabled={chat.isBusy.value}
          onClick={() => void agents.follow(handoff)}
        >
          {handoff.label}
        </button>
      ))}
    </div>
  );
}
