import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../localization';
import { useChat } from '../common/ChatContext';
import { PartChips } from '../composer/PartChips';

/** Editor for an earlier prompt, in its place. */
export function PromptEditor({ turnUid }: { readonly turnUid: string }) {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.edits.texts.value.get(turnUid) ?? '';
  const sending = chat.edits.sending.value === turnUid;
  const parts = chat.edits.parts(turnUid);
  const cannot = (text.trim() === '' && parts.length === 0) || chat.edits.sending.value !== null || chat.isBusy.value;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
    void chat.edits.restore(turnUid);
  }, []);
  const resend = async (): Promise<void> => {
    if (!cannot && (await chat.askAgain.again('resend', turnUid))) chat.focusComposer();
  };
  return (
    <div class="prompt-editor">
      <PartChips
        parts={parts}
        remove={(part) => chat.edits.removePart(turnUid, part)}
        leave={() => field.current?.focus()}
      />
      <textarea
        ref={field}
        class="field prompt-field"
        aria-label={t('Edit prompt')}
        aria-busy={sending}
        dir="auto"
        value={text}
        onInput={(event) => chat.edits.change(turnUid, event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            chat.edits.giveUp(turnUid);
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
        <button type="button" class="button secondary compact" onClick={() => chat.edits.giveUp(turnUid)}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}
