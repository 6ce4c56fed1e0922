import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import { PartChips } from './PartChips';
import { AskAgain } from '../session/askAgain';
import { PromptEdits } from '../session/promptEdits';
import { useChat } from '../state/chat';

/** Editor for an earlier prompt, in its place. */
export function PromptEditor({ turnUid }: { readonly turnUid: string }) {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.part(PromptEdits).texts.value.get(turnUid) ?? '';
  const sending = chat.part(PromptEdits).sending.value === turnUid;
  const parts = chat.part(PromptEdits).parts(turnUid);
  const cannot =
    (text.trim() === '' && parts.length === 0) || chat.part(PromptEdits).sending.value !== null || chat.isBusy.value;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
    void chat.part(PromptEdits).restore(turnUid);
  }, []);
  const resend = async (): Promise<void> => {
    if (!cannot && (await chat.part(AskAgain).again('resend', turnUid))) chat.focusComposer();
  };
  return (
    <div class="prompt-editor">
      <PartChips
        parts={parts}
        remove={(part) => chat.part(PromptEdits).removePart(turnUid, part)}
        leave={() => field.current?.focus()}
      />
      <textarea
        ref={field}
        class="field prompt-field"
        aria-label={t('Edit prompt')}
        aria-busy={sending}
        dir="auto"
        value={text}
        onInput={(event) => chat.part(PromptEdits).change(turnUid, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            chat.part(PromptEdits).giveUp(turnUid);
          } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            void resend();
          }
        }}
      />
      <div class="prompt-editor-bar">
        <span class="prompt-editor-hint">{t('The current version and its answers are kept.')}</span>
        <button type="button" class="button compact" disabled={cannot} onClick={() => void resend()}>
          {t('Resend')}
        </button>
        <button type="button" class="button secondary compact" onClick={() => chat.part(PromptEdits).giveUp(turnUid)}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}
