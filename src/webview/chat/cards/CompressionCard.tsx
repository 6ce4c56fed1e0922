import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import { compactCount } from '../../times';
import type { CompressionOffer } from '../session/sessionContext';
import { useOpener } from '../common/useOpener';
import { SessionContext } from '../session/sessionContext';
import { useChat } from '../state/chat';

/** Shows above the composer how much compression would save, and asks for a decision. */
export function CompressionCard({ offer }: { readonly offer: CompressionOffer }) {
  const chat = useChat();
  // A signal, because Enter may be pressed before the typed text is rendered.
  const focus = useSignal(offer.focus);
  const confirm = useRef<HTMLButtonElement>(null);
  useEffect(() => confirm.current?.focus(), []);
  const goBack = useOpener();
  const leave = (): void => {
    chat.part(SessionContext).withdraw();
    goBack();
  };
  const compress = (): void => {
    void chat.part(SessionContext).compress(focus.peek());
    chat.focusComposer();
  };
  const saved = { before: compactCount(offer.tokens.before), after: compactCount(offer.tokens.after) };
  return (
    <section
      class="card"
      role="group"
      aria-label={t('Compress Session')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        leave();
      }}
    >
      <p class="card-text">
        {t('Summarize earlier messages in this session: {before} → about {after} tokens. Nothing is deleted.', saved)}
      </p>
      <input
        class="field"
        type="text"
        dir="auto"
        aria-label={t('Focus on')}
        placeholder={t('What should the summary focus on? (optional)')}
        value={focus.value}
        onInput={(event) => (focus.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing) compress();
        }}
      />
      <div class="card-actions">
        <button type="button" class="button compact" ref={confirm} onClick={compress}>
          {t('Compress')}
        </button>
        <button type="button" class="button secondary compact" onClick={leave}>
          {t('Cancel')}
        </button>
      </div>
    </section>
  );
}
