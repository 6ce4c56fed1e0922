import { AskAgain } from '../session/askAgain';
import { SessionContext, type CompressionOffer } from '../session/sessionContext';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';
import type { Approval } from '../../../transcript/approval';
import { ApprovalCard } from './ApprovalCard';
import { InputCard } from './InputCard';
import { AskAgainCard, RewindCard } from './FilesChoiceCard';
import { Icon } from '../../Icon';
import { Button } from '../../buttons';
import { t } from '../../localization';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { compactCount } from '../../times';
import { useOpener } from '../common/timing';

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
  return access.kind === 'input' ? (
    <InputCard approval={approval} server={access.server} asked={access.asked} />
  ) : (
    <ApprovalCard approval={approval} />
  );
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
            <Button primary label={t('Choose Model')} act={() => chat.ui.chooseModel()} />
          </span>
        )}
      </div>
      <button
        type="button"
        class="icon-button"
        title={t('Dismiss')}
        aria-label={t('Dismiss')}
        onClick={() => chat.requests.dismiss()}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Shows above the composer how much compression would save, and asks for a decision. */
function CompressionCard({ offer }: { readonly offer: CompressionOffer }) {
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
        <Button label={t('Cancel')} act={leave} />
      </div>
    </section>
  );
}
