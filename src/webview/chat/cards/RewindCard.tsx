import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import type { RewindOffer } from '../session/sessionSwitchController';
import { FilesChoice } from './FilesChoiceCard';
import { useOpener } from '../common/useOpener';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';

/** Shows above the composer what rewinding a prompt would do, and asks for a decision. */
export function RewindCard({ offer }: { readonly offer: RewindOffer }) {
  return offer.files.length === 0 ? <PlainRewind offer={offer} /> : <RewindWithFiles offer={offer} />;
}

function RewindWithFiles({ offer }: { readonly offer: RewindOffer }) {
  const chat = useChat();
  const goBack = useOpener();
  const leave = (): void => {
    chat.part(SessionSwitchController).withdraw();
    goBack();
  };
  const text = `${rewindText(offer)} ${t('The prompt returns to the input box. Nothing is deleted.')} ${offer.files.length === 1 ? t('A file has changed since then:') : t('{count} files have changed since then:', { count: offer.files.length })}`;
  return (
    <FilesChoice
      name={t('Rewind to Here')}
      text={text}
      files={offer.files}
      choose={(files) => void chat.part(SessionSwitchController).rewind(files)}
      leave={leave}
    />
  );
}

function PlainRewind({ offer }: { readonly offer: RewindOffer }) {
  const chat = useChat();
  const confirm = useRef<HTMLButtonElement>(null);
  const goBack = useOpener();
  // A second offer before the first is dismissed renders in the same card.
  useEffect(() => confirm.current?.focus(), [offer]);
  const leave = (): void => {
    chat.part(SessionSwitchController).withdraw();
    goBack();
  };
  return (
    <section
      class="card"
      role="group"
      aria-label={t('Rewind to Here')}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        leave();
      }}
    >
      <p class="card-text">{text(offer)}</p>
      <div class="card-actions">
        <button
          type="button"
          class="button compact"
          ref={confirm}
          onClick={() => void chat.part(SessionSwitchController).rewind()}
        >
          {t('Rewind')}
        </button>
        <button type="button" class="button secondary compact" onClick={leave}>
          {t('Cancel')}
        </button>
      </div>
    </section>
  );
}

function text(offer: RewindOffer): string {
  if (offer.isSummarised)
    return t('This prompt comes before a summary, so Hermes rewinds in a new branch. This session doesn’t change.');
  const where = t('The prompt returns to the input box. Nothing is deleted, and files don’t change.');
  return `${rewindText(offer)} ${where}`;
}

function rewindText({ turns }: RewindOffer): string {
  if (turns === null) return t('Rewind to before this prompt?');
  return turns === 1
    ? t('Rewind to before this prompt (1 turn)?')
    : t('Rewind to before this prompt ({count} turns)?', { count: turns });
}
