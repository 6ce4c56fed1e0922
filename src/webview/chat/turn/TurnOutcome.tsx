import { useId, useState } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { actionWord, outcomeLabel, type OutcomeAction, type FinishedTurn } from '../../turnLabels';
import { answersIn, shownAnswer, type TurnBlock } from '../state/conversationRows';
import { crashReport } from '../verify/crashReport';
import { CrashNotice } from './CrashNotice';
import { FailureDetails } from './FailureDetails';
import { PromptSender } from '../drafts/promptSender';
import { AskAgain } from '../session/askAgain';
import { SessionContext } from '../session/sessionContext';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';

interface TurnOutcomeProps {
  readonly block: TurnBlock;
  readonly turn: FinishedTurn;
}

/** Outcome of a turn when it needs words, and the actions available now. Retry and Continue belong to the last turn
 *  only. If the answer was continued, its stop reason no longer matters. Announced once, when it happens
 *  (announcements.ts). */
export function TurnOutcome({ block, turn }: TurnOutcomeProps) {
  const began = block.rows.some((row) => answersIn(row).length > 0);
  const label = outcomeLabel(turn, shownAnswer(block), began);
  // The view's own delivery report replaces the usual words.
  const crash = (block.isLast ? crashReport.value?.(turn) : null) ?? null;
  if (crash !== null) return <CrashNotice report={crash} turn={turn} />;
  // The line above the next turn says that it was continued.
  if (label === null || block.isContinued) return null;
  return (
    <div class={`notice notice-${label.tone}`} role="group" aria-label={t('How the turn ended')}>
      <Icon name={label.tone} />
      <div class="notice-body">
        <span>{label.sentence}</span>
        <OutcomeActions
          block={block}
          turn={turn}
          offered={label.actions}
          isPrimary={label.tone === 'error' && block.isLast}
        />
      </div>
    </div>
  );
}

interface OutcomeActionsProps extends TurnOutcomeProps {
  readonly offered: readonly OutcomeAction[];
  /** True when the first action is the recommended one. */
  readonly isPrimary: boolean;
}

function OutcomeActions({ block, turn, offered, isPrimary }: OutcomeActionsProps) {
  const chat = useChat();
  const [open, setOpen] = useState(false);
  const id = useId();
  const busy = chat.part(PromptSender).busy.value || chat.isBusy.value;
  const actions = offered.filter((action) => block.isLast || action === 'showDetails');
  const act: Readonly<Record<OutcomeAction, () => void>> = {
    retry: () => void chat.part(AskAgain).retry(turn.uid),
    continue: () =>
      void chat
        .part(AskAgain)
        .continueAnswer(turn.uid)
        .then(() => chat.focusComposer()),
    chooseModel: () => chat.ui.chooseModel(),
    setUpModel: () => chat.runAction('setUpModel'),
    compress: () => void chat.part(SessionContext).propose(''),
    newSession: () => void chat.part(SessionSwitchController).to({ reason: 'new_session' }),
    showDetails: () => setOpen(!open),
  };
  if (actions.length === 0) return null;
  return (
    <>
      <span class="notice-actions">
        {actions.map((action, index) => (
          <button
            type="button"
            key={action}
            class={`button compact${index === 0 && isPrimary ? '' : ' secondary'}`}
            disabled={busy && (action === 'retry' || action === 'continue' || action === 'compress')}
            aria-expanded={action === 'showDetails' ? open : undefined}
            aria-controls={action === 'showDetails' && open ? id : undefined}
            onClick={act[action]}
          >
            {action === 'showDetails' && open ? t('Hide Details') : actionWord(action)}
          </button>
        ))}
      </span>
      {open && <FailureDetails id={id} turn={turn} />}
    </>
  );
}
