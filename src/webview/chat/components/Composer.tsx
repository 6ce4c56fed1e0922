import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { composerKey } from '../composerText';
import { useChat } from './ChatContext';

/** Where a person writes. What is typed leaves it only once it is on disk. */
export function Composer() {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.drafts.text.value;
  const running = chat.running.value !== null;
  const submitting = chat.submitting.value;
  useComposerFocus(field.current, chat.composerFocus.value);

  const onKeyDown = (event: KeyboardEvent): void => {
    switch (composerKey(event, text)) {
      case 'submit':
        event.preventDefault();
        void chat.submit();
        break;
      case 'recall':
        event.preventDefault();
        chat.recallPrompt();
        break;
      case 'escape':
        if (chat.problem.peek() === null) break;
        event.preventDefault();
        chat.dismissProblem();
        break;
      case 'none':
        break;
    }
  };

  return (
    <div class="composer-area">
      <ProblemLine />
      <div class="composer" onClick={(event) => event.target === event.currentTarget && field.current?.focus()}>
        <textarea
          ref={field}
          class="composer-field"
          aria-label={t('Message')}
          aria-busy={submitting}
          dir="auto"
          rows={1}
          placeholder={running ? t('Ask something else; it waits its turn') : t('Ask about this folder')}
          value={text}
          onInput={(event) => chat.drafts.edit(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onFocus={() => chat.needs.memory.remember({ composerFocused: true })}
          onBlur={() => {
            chat.needs.memory.remember({ composerFocused: false });
            chat.leave();
          }}
        />
        <div class="composer-bar">
          <span class="composer-hint">{t('Enter to send, Shift+Enter for a new line')}</span>
          <span class="composer-buttons">
            {running && <StopButton stop={() => void chat.stop()} />}
            <SendButton queues={running} disabled={submitting || text.trim() === ''} send={() => void chat.submit()} />
          </span>
        </div>
      </div>
    </div>
  );
}

function SendButton({ queues, disabled, send }: { readonly queues: boolean; readonly disabled: boolean; readonly send: () => void }) {
  const chat = useChat();
  const press = (): void => {
    send();
    chat.focusComposer();
  };
  if (queues) {
    return (
      <button type="button" class="button secondary compact" disabled={disabled} title={t('Queue: sent when this turn is over')} onClick={press}>
        {t('Queue')}
      </button>
    );
  }
  return (
    <button type="button" class="button compact send" disabled={disabled} aria-label={t('Send')} title={t('Send (Enter)')} onClick={press}>
      <Icon name="send" />
    </button>
  );
}

function StopButton({ stop }: { readonly stop: () => void }) {
  const chat = useChat();
  const press = (): void => {
    stop();
    chat.focusComposer();
  };
  return (
    <button type="button" class="button compact" title={t('Stop (Escape)')} onClick={press}>
      <Icon name="debug-stop" /> {t('Stop')}
    </button>
  );
}

function ProblemLine() {
  const chat = useChat();
  const problem = chat.problem.value;
  if (problem === null) return null;
  return (
    <div class={`notice notice-${problem.offersModels ? 'warning' : 'error'}`} role="alert">
      <Icon name={problem.offersModels ? 'warning' : 'error'} />
      <div class="notice-body">
        <span>{problem.sentence}</span>
        {problem.offersModels && (
          <span class="notice-actions">
            <button type="button" class="button compact" onClick={() => chat.chooseModel()}>{t('Choose Model')}</button>
          </span>
        )}
      </div>
      <button type="button" class="icon-button" title={t('Dismiss')} aria-label={t('Dismiss')} onClick={() => chat.dismissProblem()}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Focuses the field when asked to, and where it had the focus before the view was hidden; never takes the focus from elsewhere. */
function useComposerFocus(field: HTMLTextAreaElement | null, requests: number): void {
  const chat = useChat();
  const answered = useRef(0);
  useEffect(() => {
    if (requests === answered.current) return;
    answered.current = requests;
    field?.focus();
  });
  useEffect(() => {
    if (!chat.needs.memory.recalled.composerFocused) return undefined;
    if (document.hasFocus()) {
      chat.focusComposer();
      return undefined;
    }
    const focusOnReturn = (): void => {
      if (document.activeElement === document.body) chat.focusComposer();
    };
    window.addEventListener('focus', focusOnReturn, { once: true });
    return () => window.removeEventListener('focus', focusOnReturn);
  }, [chat]);
}
