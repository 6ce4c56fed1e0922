import { Icon, LinkButton } from '../../buttons';
import { t } from '../../localization';
import { modelName } from '../../turnLabels';
import { duration } from '../../times';
import type { TurnActivity } from '../../../transcript/turnEvent';
import type { TurnBlock } from '../state/conversationRows';
import { useLasting, useNow } from '../common/hooks';
import { useChat } from '../state/chat';

/** Current activity of a running turn when nothing else on the page shows it. */
export function TurnActivityLine({ block }: { readonly block: TurnBlock }) {
  const chat = useChat();
  const now = useNow(chat.timers.nowMs, 1000);
  const { activity, turn } = block;
  const isWaiting = turn?.state === 'waiting';
  const since = activity === null ? 0 : Math.max(0, now - activity.receivedAt);
  // The card above the composer says so itself.
  const isAsked = isWaiting && (chat.steady.value.conversation?.approval ?? null) !== null;
  const text =
    activity === null || isWaiting
      ? waitingText(block, isAsked)
      : activityText(activity.activity, since, modelName(turn?.model ?? '', chat.steady.value.model.chosen));
  const lasting = useLasting(text !== null, 150);
  const meter = stepText(block.steps);
  if ((text === null || !lasting) && meter === null) return null;
  const retrying = !isWaiting && activity?.activity.kind === 'retrying';
  const recallOf = activity?.activity.kind === 'recalling' ? (turn?.uid ?? null) : null;
  const skipRecall = (turnUid: string): void => {
    if (chat.sessionId !== null) chat.host.send('skipRecall', { sessionId: chat.sessionId, turnUid });
  };
  return (
    <p class={`activity${retrying ? ' activity-warning' : ''}`}>
      {text !== null && lasting && (
        <>
          <Icon name={retrying ? 'warning' : isWaiting ? 'question' : 'loading'} spin={!retrying && !isWaiting} />
          <span>{text}</span>
        </>
      )}
      {meter !== null && (
        <span class="activity-steps" title={t('A turn stops at this many steps. You can continue it.')}>
          {meter}
        </span>
      )}
      {recallOf !== null && <LinkButton label={t('Skip')} act={() => skipRecall(recallOf)} />}
    </p>
  );
}

/** Returns the step count once the turn has used more than half of its steps; else null. */
function stepText(steps: TurnBlock['steps']): string | null {
  return steps === null || steps.at * 2 <= steps.most ? null : t('step {at} of {most}', steps);
}

// A view that has just been rebuilt does not know the activity yet. Streaming text speaks for itself.
function waitingText(block: TurnBlock, isAsked: boolean): string | null {
  if (block.turn?.state === 'waiting') return isAsked ? null : t('Waiting for you');
  return block.rows.some((row) => row.kind === 'answer' && row.state === 'streaming') ? null : t('Working…');
}

/** Returns the first sentence of a failure. The others advise, and a retry is already on its way. */
function whatHappened(sentence: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(sentence)?.[0] ?? sentence;
}

/** Null when the conversation itself shows the activity. `since`: milliseconds. */
function activityText(activity: TurnActivity, since: number, model: string): string | null {
  switch (activity.kind) {
    case 'requesting': {
      const elapsed = activity.elapsedMs + since;
      return elapsed < 3000
        ? t('Waiting for {model}…', { model })
        : t('Waiting for {model}… {elapsed}', { model, elapsed: duration(elapsed) });
    }
    case 'recalling':
      return t('Searching memory…');
    case 'loadingModel':
      return t('Loading model… {elapsed}', { elapsed: duration(activity.elapsedMs + since) });
    case 'retrying': {
      const { attempt, attempts, failure } = activity;
      const left = Math.max(0, activity.delayMs - since);
      const facts = { cause: whatHappened(failure.sentence), attempt, attempts };
      return left === 0
        ? t('{cause} Retrying (attempt {attempt} of {attempts}).', facts)
        : t('{cause} Retrying in {delay} (attempt {attempt} of {attempts}).', { ...facts, delay: duration(left) });
    }
    case 'receivingToolCall':
      return activity.characters === 0
        ? t('Preparing {tool}…', { tool: activity.name })
        : t('Preparing {tool}… {count} characters', { tool: activity.name, count: activity.characters });
    case 'compressing':
      return t('Summarizing earlier messages…');
    case 'runningTool':
    case 'answering':
      return null;
  }
}
