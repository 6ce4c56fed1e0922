import { Icon } from '../../Icon';
import { t } from '../../localization';
import { useChat } from '../state/chat';

/** One-sentence notice above the composer: a refusal, or the reply to a command. */
export function ProblemLine() {
  const chat = useChat();
  const problem = chat.requests.problem.value;
  if (problem === null) return null;
  const tone = problem.offersModels ? 'warning' : problem.isRefusal ? 'error' : 'info';
  return (
    <div class={`notice notice-${tone}`} role={problem.isRefusal ? 'alert' : 'status'}>
      <Icon name={tone} />
      <div class="notice-body">
        <span>{problem.sentence}</span>
        {problem.offersModels && (
          <span class="notice-actions">
            <button type="button" class="button compact" onClick={() => chat.ui.chooseModel()}>
              {t('Choose Model')}
            </button>
          </span>
        )}
      </div>
      <button
        type="button"
        class="icon-button"
        title={t('Dismiss')}
        aria-label={t('Dismiss')}
        onClick={() => chat.requests.dismiss()}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
