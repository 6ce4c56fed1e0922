import { useId, useState } from 'preact/hooks';
import { Button, Icon } from '../../buttons';
import { t, pageLanguage, shownList } from '../../localization';
import { actionWord, outcomeLabel, type OutcomeAction, type FinishedTurn } from '../../turnLabels';
import { answersIn, shownAnswer, type TurnBlock, shownIn } from '../state/conversationRows';
import { crashReport, type CrashReport } from '../verify/deliveryReporter';
import { PromptSender } from '../drafts/promptSender';
import { AskAgain } from '../session/askAgain';
import { SessionContext } from '../session/sessionContext';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { FoldButton } from '../common/marks';
import { useChat } from '../state/chat';
import type { Message } from '../../../transcript/message';
import { AgentController } from '../pickers/sessionOptions';

const time = new Intl.DateTimeFormat(pageLanguage, { timeStyle: 'medium' });

const count = new Intl.NumberFormat(pageLanguage);

interface TurnOutcomeProps {
  readonly block: TurnBlock;
  readonly turn: FinishedTurn;
}

/** Outcome of a turn when it needs words, and the actions available now. Retry and Continue belong to the last turn
 *  only. If the answer was continued, its stop reason no longer matters. Announced once, when it happens
 *  (`endingLabels`). */
export function TurnOutcome({ block, turn }: TurnOutcomeProps) {
  const began = block.rows.some((row) => answersIn(row).length > 0);
  const label = outcomeLabel(turn, shownAnswer(block), began);
  // The view's own delivery report replaces the usual words.
  const crash = (block.isLast ? crashReport.value?.(turn) : null) ?? null;
  if (crash !== null) return <CrashNotice report={crash} turn={turn} />;
  // The line above the next turn says that it was continued.
  if (label === null || block.isContinued) return null;
  if (!block.isLast && turn.failure !== null) return <EarlierFailure turn={turn} sentence={label.sentence} />;
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

/** One line once a later turn exists: its advice is outdated. */
function EarlierFailure({ turn, sentence }: { readonly turn: FinishedTurn; readonly sentence: string }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div role="group" aria-label={t('How the turn ended')}>
      <div class={open ? '' : 'earlier-failure'}>
        <FoldButton open={open} toggle={() => setOpen(!open)}>
          <span dir="auto">{sentence}</span>
        </FoldButton>
      </div>
      {open && <FailureDetails id={id} turn={turn} />}
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
  const act: Readonly<Record<OutcomeAction, () => void>> = {
    retry: () => void chat.part(AskAgain).retry(turn.uid),
    continue: () =>
      void chat
        .part(AskAgain)
        .continueAnswer(turn.uid)
        .then(() => chat.focusComposer()),
    chooseModel: () => chat.ui.chooseModel(),
    pasteKey: () => void chat.part(AskAgain).withNewKey(turn.uid),
    replaceKey: () => void chat.part(AskAgain).withNewKey(turn.uid),
    setUpModel: () => chat.runAction('setUpModel'),
    compress: () => void chat.part(SessionContext).propose(''),
    newSession: () => void chat.part(SessionSwitchController).to({ reason: 'new_session' }),
    showDetails: () => setOpen(!open),
  };
  if (!block.isLast) return null;
  return (
    <>
      <span class="notice-actions">
        {offered.map((action, index) => (
          <Button
            label={action === 'showDetails' && open ? t('Hide Details') : actionWord(action)}
            primary={index === 0 && isPrimary}
            key={action}
            disabled={busy && ['retry', 'continue', 'pasteKey', 'replaceKey', 'compress'].includes(action)}
            aria-expanded={action === 'showDetails' ? open : undefined}
            aria-controls={action === 'showDetails' && open ? id : undefined}
            act={act[action]}
          />
        ))}
      </span>
      {open && <FailureDetails id={id} turn={turn} />}
    </>
  );
}

/** The view's own delivery report about the last turn, which ended with the extension process. Always shown after
 *  Pull the Plug, else only when text is missing. */
function CrashNotice({ report, turn }: { readonly report: CrashReport; readonly turn: FinishedTurn }) {
  const chat = useChat();
  const isLost = report.onDisk < report.shown;
  const busy = chat.part(PromptSender).busy.value || chat.running.value !== null;
  const continueAnswer = (): void => {
    report.dismiss();
    void chat.part(AskAgain).continueAnswer(turn.uid);
    chat.focusComposer();
  };
  return (
    <div class={`notice notice-${isLost ? 'error' : 'info'}`} role={isLost ? 'alert' : 'status'}>
      <Icon name={isLost ? 'error' : 'pass'} />
      <div class="notice-body">
        <span>{sentence(report)}</span>
        <span class="notice-actions">
          <Button label={actionWord('continue')} primary={!isLost} disabled={busy} act={continueAnswer} />
          {isLost && (
            <Button label={t('Open Transcript')} act={() => chat.host.send('openTranscript', { messageUid: null })} />
          )}
          {isLost && <Button label={t('Show Log')} act={() => chat.runAction('showLog')} />}
          {report.at !== null && <Button label={t('Dismiss')} act={report.dismiss} />}
        </span>
      </div>
    </div>
  );
}

function sentence({ at, shown, onDisk, stored }: CrashReport): string {
  const counts = { onDisk: count.format(onDisk), shown: count.format(shown), stored: count.format(stored) };
  if (at === null) return `${t('Interrupted: the extension host stopped.')} ${lostText(shown, stored)}`;
  const killed = t('Crashed at {time}.', { time: time.format(new Date(at * 1000)) });
  if (shown === 0) return `${killed} ${t('This view has no record of what it showed. Everything stored is here.')}`;
  return `${killed} ${onDisk < shown ? lostText(shown, stored) : t('{onDisk} of {shown} characters shown are saved.', counts)}`;
}

/** A hash cannot show which characters are missing. The text gives their number when fewer are stored than shown. */
function lostText(shown: number, stored: number): string {
  const counts = { shown: count.format(shown), stored: count.format(stored) };
  return stored < shown
    ? t('{shown} characters were shown, but {stored} are stored.', counts)
    : t('The {shown} characters shown don’t match what is stored.', counts);
}

/** Failure details for a support request: texts of the program, the service and the system. */
function FailureDetails({ id, turn }: { readonly id: string; readonly turn: FinishedTurn }) {
  const chat = useChat();
  const text = details(turn);
  return (
    <div class="failure-details" id={id}>
      <pre class="tool-text" tabIndex={0} dir="ltr">
        {text}
      </pre>
      <Button label={t('Copy Details')} act={() => chat.copy(text)} />
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
        <Button
          label={handoff.label}
          key={handoff.label}
          title={[handoff.agent ?? t('Hermes'), handoff.prompt].filter((line) => line !== '').join(': ')}
          disabled={chat.isBusy.value}
          act={() => void agents.follow(handoff)}
        />
      ))}
    </div>
  );
}
