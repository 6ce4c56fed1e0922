import type { ComponentChildren } from 'preact';
import type { ChangedFile } from '../../../transcript/changedFile';
import { AskAgain, type AskAgainOffer } from '../session/askAgain';
import { SessionContext, type CompressionOffer } from '../session/sessionContext';
import { type RewindOffer, SessionSwitchController } from '../session/sessionSwitchController';
import { useChat, usePart } from '../state/chat';
import type { Approval } from '../../../transcript/approval';
import { ApprovalCard } from './ApprovalCard';
import { InputCard } from './InputCard';
import { Button, Icon, IconButton } from '../../buttons';
import { t } from '../../localization';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { compactCount } from '../../times';
import { useOpener } from '../common/hooks';

/** Everything above the composer that awaits a decision of the user. */
export function Cards() {
  const chat = useChat();
  const approval = chat.steady.value.conversation?.approval ?? null;
  const offer = chat.part(SessionContext).offer.value;
  const again = chat.part(AskAgain).offer.value;
  const rewind = chat.part(SessionSwitchController).rewindOffer.value;
  return (
    <>
      <ProblemLine />
      {approval !== null && <RequestCard approval={approval} key={approval.id} />}
      {offer !== null && <CompressionCard offer={offer} key={offer.sessionId} />}
      {again !== null && <AskAgainCard offer={again} key={again.turnUid} />}
      {rewind !== null && <RewindCard offer={rewind} key={rewind.promptUid} />}
    </>
  );
}

function RequestCard({ approval }: { readonly approval: Approval }) {
  const { access } = approval.request;
  if (access.kind !== 'input') return <ApprovalCard approval={approval} />;
  return <InputCard approval={approval} server={access.server} asked={access.asked} />;
}

/** One-sentence notice above the composer: a refusal, or the reply to a command. */
function ProblemLine() {
  const chat = useChat();
  const problem = chat.requests.problem.value;
  if (problem === null) return null;
  const tone = problem.offersModels ? 'warning' : problem.isRefusal ? 'error' : 'info';
  return (
    <div class={`notice notice-${tone}`} role={problem.isRefusal ? 'alert' : 'status'}>
      <Icon name={tone} />
      <div class="notice-body">
        <span>{problem.sentence}</span>
        {problem.offersModels && (
          <span class="notice-actions">
            <Button label={t('Choose Model')} primary act={() => chat.ui.chooseModel()} />
          </span>
        )}
      </div>
      <IconButton icon="close" label={t('Dismiss')} act={() => chat.requests.dismiss()} />
    </div>
  );
}

interface OfferCardProps {
  readonly name: string;
  readonly text: string;
  /** The first button takes the focus when the card appears, and when this changes. */
  readonly renewed: unknown;
  readonly withdraw: () => void;
  /** The first one is the default. */
  readonly actions: readonly { readonly label: string; readonly act: () => void }[];
  readonly children?: ComponentChildren;
}

/** Offer above the composer. Cancel and Escape withdraw it and return the focus. */
function OfferCard({ name, text, renewed, withdraw, actions, children }: OfferCardProps) {
  const card = useRef<HTMLElement>(null);
  const goBack = useOpener();
  useEffect(() => card.current?.querySelector<HTMLElement>('.card-actions > button')?.focus(), [renewed]);
  const leave = (): void => {
    withdraw();
    goBack();
  };
  return (
    <section
      class="card"
      role="group"
      aria-label={name}
      ref={card}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        leave();
      }}
    >
      <p class="card-text">{text}</p>
      {children}
      <div class="card-actions">
        {actions.map(({ label, act }, index) => (
          <Button label={label} key={label} primary={index === 0} act={act} />
        ))}
        <Button label={t('Cancel')} act={leave} />
      </div>
    </section>
  );
}

/** Shows above the composer how much compression would save, and asks for a decision. */
function CompressionCard({ offer }: { readonly offer: CompressionOffer }) {
  const chat = useChat();
  const context = chat.part(SessionContext);
  // A signal, because Enter may be pressed before the typed text is rendered.
  const focus = useSignal(offer.focus);
  const compress = (): void => {
    void context.compress(focus.peek());
    chat.focusComposer();
  };
  const saved = { before: compactCount(offer.tokens.before), after: compactCount(offer.tokens.after) };
  return (
    <OfferCard
      name={t('Compress Session')}
      text={t(
        'Summarize earlier messages in this session: {before} → about {after} tokens. Nothing is deleted.',
        saved,
      )}
      renewed={null}
      withdraw={() => context.withdraw()}
      actions={[{ label: t('Compress'), act: compress }]}
    >
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
    </OfferCard>
  );
}

/** Choice for Retry and Edit & Resend when files have changed since. */
function AskAgainCard({ offer }: { readonly offer: AskAgainOffer }) {
  const chat = useChat();
  const count = offer.files.length;
  return (
    <OfferCard
      name={offer.kind === 'retry' ? t('Retry') : t('Edit & Resend')}
      text={
        count === 1
          ? t('A file was changed after this prompt. Revert it too? Your own later changes are kept.')
          : t('{count} files were changed after this prompt. Revert them too? Your own later changes are kept.', {
              count,
            })
      }
      renewed={offer.files}
      withdraw={() => chat.part(AskAgain).withdraw()}
      actions={filesActions(offer.files, (files) => {
        void chat.part(AskAgain).answer(files);
        chat.focusComposer();
      })}
    >
      <FileNames files={offer.files} />
    </OfferCard>
  );
}

/** Shows above the composer what rewinding a prompt would do, and asks for a decision. */
function RewindCard({ offer }: { readonly offer: RewindOffer }) {
  const switches = usePart(SessionSwitchController);
  const { files } = offer;
  return (
    <OfferCard
      name={t('Rewind to Here')}
      text={rewindText(offer)}
      renewed={offer}
      withdraw={() => switches.withdraw()}
      actions={
        files.length === 0
          ? [{ label: t('Rewind'), act: () => void switches.rewind() }]
          : filesActions(files, (chosen) => void switches.rewind(chosen))
      }
    >
      {files.length > 0 && <FileNames files={files} />}
    </OfferCard>
  );
}

function rewindText({ turns, isSummarised, files }: RewindOffer): string {
  if (isSummarised)
    return t('This prompt comes before a summary, so Hermes rewinds in a new branch. This session doesn’t change.');
  const question =
    turns === null
      ? t('Rewind to before this prompt?')
      : turns === 1
        ? t('Rewind to before this prompt (1 turn)?')
        : t('Rewind to before this prompt ({count} turns)?', { count: turns });
  if (files.length === 0)
    return `${question} ${t('The prompt returns to the input box. Nothing is deleted, and files don’t change.')}`;
  const changed =
    files.length === 1
      ? t('A file has changed since then:')
      : t('{count} files have changed since then:', { count: files.length });
  return `${question} ${t('The prompt returns to the input box. Nothing is deleted.')} ${changed}`;
}

/** Actions that choose if the files are reverted together with the conversation. */
function filesActions(
  { length: count }: readonly ChangedFile[],
  choose: (files: boolean) => void,
): OfferCardProps['actions'] {
  return [
    { label: t('Conversation Only'), act: () => choose(false) },
    {
      label: count === 1 ? t('Conversation and 1 File') : t('Conversation and {count} Files', { count }),
      act: () => choose(true),
    },
  ];
}

function FileNames({ files }: { readonly files: readonly ChangedFile[] }) {
  return (
    <ul class="card-files">
      {files.slice(0, 5).map(({ path, shown }) => (
        <li key={path} title={path}>
          {shown}
        </li>
      ))}
      {files.length > 5 && <li>{t('and {count} more', { count: files.length - 5 })}</li>}
    </ul>
  );
}
