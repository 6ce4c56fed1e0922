import { Icon } from '../../Icon';
import { pageLanguage, t } from '../../localization';
import { actionWord, type FinishedTurn } from '../../turnLabels';
import type { CrashReport } from '../verify/crashReport';
import { PromptSender } from '../drafts/promptSender';
import { AskAgain } from '../session/askAgain';
import { useChat } from '../state/chat';

const time = new Intl.DateTimeFormat(pageLanguage, { timeStyle: 'medium' });
const count = new Intl.NumberFormat(pageLanguage);

/** The view's own delivery report about the last turn, which ended with the extension process. Always shown after
 *  Pull the Plug, else only when text is missing. */
export function CrashNotice({ report, turn }: { readonly report: CrashReport; readonly turn: FinishedTurn }) {
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
          <button
            type="button"
            class={`button compact${isLost ? ' secondary' : ''}`}
            disabled={busy}
            onClick={continueAnswer}
          >
            {actionWord('continue')}
          </button>
          {isLost && (
            <button
              type="button"
              class="button compact secondary"
              onClick={() => chat.host.send('openTranscript', { messageUid: null })}
            >
              {t('Open Transcript')}
            </button>
          )}
          {isLost && (
            <button type="button" class="button compact secondary" onClick={() => chat.runAction('showLog')}>
              {t('Show Log')}
            </button>
          )}
          {report.at !== null && (
            <button type="button" class="button compact secondary" onClick={report.dismiss}>
              {t('Dismiss')}
            </button>
          )}
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
