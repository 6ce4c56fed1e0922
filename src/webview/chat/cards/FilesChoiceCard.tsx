import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../buttons';
import type { ChangedFile } from '../../../transcript/changedFile';
import { t } from '../../localization';
import { type AskAgainOffer, AskAgain } from '../session/askAgain';
import { useOpener } from '../common/timing';
import { useChat } from '../state/chat';
import { type RewindOffer, SessionSwitchController } from '../session/sessionSwitchController';

interface FilesChoiceProps {
  readonly name: string;
  readonly text: string;
  readonly files: readonly ChangedFile[];
  /** `files`: true when the file changes are reverted too. */
  readonly choose: (files: boolean) => void;
  readonly leave: () => void;
}

/** Asks whether to revert the files together with the conversation. */
function FilesChoice({ name, text, files, choose, leave }: FilesChoiceProps) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), [files]);
  return (
    <section
      class="card"
      role="group"
      aria-label={name}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        leave();
      }}
    >
      <p class="card-text">{text}</p>
      <ul class="card-files">
        {files.slice(0, 5).map(({ path, shown }) => (
          <li key={path} title={path}>
            {shown}
          </li>
        ))}
        {files.length > 5 && <li>{t('and {count} more', { count: files.length - 5 })}</li>}
      </ul>
      <div class="card-actions">
        <button type="button" class="button compact" ref={first} onClick={() => choose(false)}>
          {t('Conversation Only')}
        </button>
        <button type="button" class="button secondary compact" onClick={() => choose(true)}>
          {files.length === 1
            ? t('Conversation and 1 File')
            : t('Conversation and {count} Files', { count: files.length })}
        </button>
        <Button label={t('Cancel')} act={leave} />
      </div>
    </section>
  );
}

/** Choice for Retry and Edit & Resend when files have changed since. */
export function AskAgainCard({ offer }: { readonly offer: AskAgainOffer }) {
  const chat = useChat();
  const goBack = useOpener();
  const leave = (): void => {
    chat.part(AskAgain).withdraw();
    goBack();
  };
  const choose = (files: boolean): void => {
    void chat.part(AskAgain).answer(files);
    chat.focusComposer();
  };
  const text =
    offer.files.length === 1
      ? t('A file was changed after this prompt. Revert it too? Your own later changes are kept.')
      : t('{count} files were changed after this prompt. Revert them too? Your own later changes are kept.', {
          count: offer.files.length,
        });
  return (
    <FilesChoice
      name={offer.kind === 'retry' ? t('Retry') : t('Edit & Resend')}
      text={text}
      files={offer.files}
      choose={choose}
      leave={leave}
    />
  );
}

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
        <Button label={t('Cancel')} act={leave} />
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
