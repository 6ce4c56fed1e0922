import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';

interface ReasonFieldProps {
  readonly isPlan: boolean;
  readonly busy: boolean;
  readonly deny: (reason: string | null) => void;
  readonly cancel: () => void;
}

/** Field for the reason of a denial, or for what to change in a plan. Enter denies, with or without text. */
export function ReasonField({ isPlan, busy, deny, cancel }: ReasonFieldProps) {
  // A signal, because Enter may be pressed before the typed text is rendered.
  const reason = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const done = (): void => {
    const written = reason.peek().trim();
    if (!busy) deny(written === '' ? null : written);
  };
  return (
    <div class="approval-answer">
      <textarea
        ref={field}
        class="field reason-field"
        rows={1}
        dir="auto"
        aria-label={isPlan ? t('What to change') : t('Reason')}
        placeholder={
          isPlan
            ? t('Tell Hermes what to change in the plan (optional)')
            : t('Tell Hermes why, or what to do instead (optional)')
        }
        value={reason.value}
        onInput={(event) => (reason.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          done();
        }}
      />
      <div class="card-actions">
        <button type="button" class="button compact" disabled={busy} onClick={done}>
          {isPlan ? t('Keep Planning') : t('Deny')}
        </button>
        <button type="button" class="button secondary compact" onClick={cancel}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}
