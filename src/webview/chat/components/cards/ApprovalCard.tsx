import { useSignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval, ApprovalDecision, ApprovalRequest } from '../../../../protocol/transcriptTypes';
import { Icon } from '../../../Icon';
import { t } from '../../../localization';
import { Markdown } from '../../../markdown/Markdown';
import { inPlainSight, lineInPlainSight } from '../../../plainSight';
import { isLowValueRead } from '../../../toolLabels';
import {
  approvalName,
  approvalPlace,
  approvalTitle,
  placeAmong,
  reasonsOf,
  reasonWords,
} from '../../labels/approvalLabels';
import type { ChatController } from '../../chatController';
import { insideWords, unconfinedWords } from '../../labels/sandboxLabels';
import { useChat } from '../common/ChatContext';
import { DiffView } from '../common/DiffView';
import { RuleEditor } from './RuleEditor';

type Opened = 'nothing' | 'rules' | 'reason';

/** Approval request above the composer, shown until it is decided here or elsewhere. No habitual key press allows
 *  anything: the card itself takes the focus, never a button, and Escape only leaves the card. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const chat = useChat();
  const card = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<Opened>('nothing');
  const busy = chat.approvals.deciding.value !== null;
  const { request } = approval;
  const name = approvalName(request);
  const isPlan = request.access.kind === 'plan';
  useEffect(() => {
    const inChat =
      document.hasFocus() &&
      (document.activeElement === document.body || (document.activeElement?.closest('.panel') ?? null) !== null);
    if (inChat && !isInTheMiddle(chat)) card.current?.focus();
    else chat.announcements.warn(name);
  }, []);
  const decide = async (decision: ApprovalDecision): Promise<void> => {
    const hadFocus = card.current?.contains(document.activeElement) === true;
    if ((await chat.approvals.decide(approval.id, decision)) && hadFocus) chat.focusComposer();
  };
  // The second click of a double click might hit the next request under the same button.
  const decideOnce = (event: MouseEvent, decision: ApprovalDecision): void => {
    if (event.detail < 2) void decide(decision);
  };
  const goToComposer = (): void =>
    card.current?.closest('.composer-area')?.querySelector<HTMLElement>('.composer-field')?.focus();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.defaultPrevented) return;
    // A held key must not decide the next request, which the user has not read yet.
    if (event.repeat && (event.ctrlKey || event.metaKey)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      if (opened === 'nothing') goToComposer();
      else setOpened('nothing');
      if (opened !== 'nothing') card.current?.focus();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && opened === 'nothing') {
      event.preventDefault();
      void decide({ kind: 'allow', scope: 'once' });
    } else if (event.key === 'Backspace' && (event.ctrlKey || event.metaKey) && opened === 'nothing') {
      event.preventDefault();
      setOpened('reason');
    } else if (
      event.target === card.current &&
      event.key.length === 1 &&
      event.key !== ' ' &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.altKey
    ) {
      // A typed letter is meant for the composer: move the focus there, and the letter follows.
      goToComposer();
    }
  };
  return (
    <section
      class="card approval"
      role="alertdialog"
      aria-label={name}
      aria-describedby="approval-details"
      tabIndex={-1}
      ref={card}
      onKeyDown={onKeyDown}
      data-approval={approval.id}
    >
      <div class="approval-head">
        <Icon name="shield" />
        <span class="approval-title">{approvalTitle(request)}</span>
        <Place approval={approval} />
      </div>
      {approval.subAgent !== undefined && (
        <p class="approval-where">{t('Sub-agent: {title}', { title: approval.subAgent.title })}</p>
      )}
      <div class="approval-details" id="approval-details">
        <Subject request={request} />
        <Preview approval={approval} />
        <ul class="approval-reasons">
          {reasonsOf(request).map((reason) => (
            <li key={reason}>{reasonWords(reason)}</li>
          ))}
        </ul>
      </div>
      {opened === 'rules' && (
        <RuleEditor
          rules={request.rules}
          busy={busy}
          save={(scope, rules) => void decide({ kind: 'allow', scope, rules })}
          cancel={() => setOpened('nothing')}
        />
      )}
      {opened === 'reason' && (
        <DenyReason
          busy={busy}
          deny={(reason) => void decide({ kind: 'deny', reason })}
          cancel={() => setOpened('nothing')}
        />
      )}
      {opened === 'nothing' && (
        <div class="card-actions">
          <button
            type="button"
            class="button compact"
            disabled={busy}
            title={
              isPlan
                ? t('Start the plan in Ask Before Edits. Hermes still asks before each change (Ctrl+Enter)')
                : t('Allow Once (Ctrl+Enter)')
            }
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onClick={(event) => decideOnce(event, { kind: 'allow', scope: 'once' })}
          >
            {t('Allow Once')}
          </button>
          {request.rules.length > 0 && (
            <>
              <button
                type="button"
                class="button secondary compact"
                disabled={busy}
                title={t('Don’t ask again in this session for {rules}', { rules: request.rules.join(', ') })}
                onClick={(event) => decideOnce(event, { kind: 'allow', scope: 'session', rules: request.rules })}
              >
                {t('Allow for Session')}
              </button>
              <button
                type="button"
                class="button secondary compact"
                disabled={busy}
                aria-expanded={false}
                onClick={() => setOpened('rules')}
              >
                {t('Always…')}
              </button>
            </>
          )}
          <button
            type="button"
            class="button secondary compact"
            disabled={busy}
            aria-expanded={false}
            title={
              isPlan
                ? t('Deny and stay in Plan mode. You can say what to change (Ctrl+Backspace)')
                : t('Deny (Ctrl+Backspace)')
            }
            aria-keyshortcuts="Control+Backspace Meta+Backspace"
            onClick={() => setOpened('reason')}
          >
            {t('Deny')}
          </button>
        </div>
      )}
    </section>
  );
}

/** True when the focus is where the user is writing, searching or choosing: the next keystrokes there must not reach
 *  a request. */
function isInTheMiddle(chat: ChatController): boolean {
  const focused = document.activeElement;
  return (
    chat.drafts.text.peek() !== '' ||
    focused?.matches('[aria-haspopup][aria-expanded=true]') === true ||
    (focused?.closest('.prompt-editor, .queue-editor, .title-editor, .find-bar, .popup, .card') ?? null) !== null
  );
}

/** "1 of 3", when several calls of the same answer may need approval. */
function Place({ approval }: { readonly approval: Approval }) {
  const chat = useChat();
  const parts = chat.state.value.conversation?.messages.find(({ uid }) => uid === approval.messageUid)?.parts ?? [];
  const place = placeAmong(
    approval,
    parts.filter((part) => part.kind === 'toolCall'),
    isLowValueRead,
  );
  return place === null ? null : <span class="approval-place">{t('{at} of {count}', place)}</span>;
}

/** Subject of the request in the editor's font: the command, the path, the address. */
function Subject({ request }: { readonly request: ApprovalRequest }) {
  const chat = useChat();
  const { access } = request;
  const place = approvalPlace(request);
  const unconfined = access.kind === 'run' ? unconfinedWords(access, chat.steady.value.sandbox) : null;
  return (
    <>
      {access.kind !== 'plan' && (
        <pre class="approval-subject" tabIndex={0} dir="ltr">
          {inPlainSight(access.kind === 'run' ? access.command : request.subject)}
        </pre>
      )}
      {place !== null && (
        <p class="approval-where">
          {[inPlainSight(place), ...(access.kind === 'run' ? insideWords(access) : [])].join(' · ')}
        </p>
      )}
      {unconfined !== null && <p class="approval-where">{unconfined}</p>}
    </>
  );
}

/** Number of lines of a change that the card shows until the user asks for all. */
const previewLines = 200;

function Preview({
  approval: {
    id,
    request: { access, preview },
  },
}: {
  readonly approval: Approval;
}) {
  const chat = useChat();
  if (preview === null || preview === '') return null;
  if (access.kind === 'edit') {
    return (
      <DiffView diff={preview} label={t('Changes')} nameless={access.paths.length === 1} most={previewLines}>
        <button
          type="button"
          class="link-button"
          title={t('Open the full diff in an editor')}
          onClick={() => chat.openProposal(id)}
        >
          {t('Open Diff')}
        </button>
      </DiffView>
    );
  }
  return (
    <div
      class="approval-preview"
      role="region"
      aria-label={access.kind === 'plan' ? t('Plan') : t('Details')}
      tabIndex={0}
    >
      <Markdown
        text={access.kind === 'plan' ? lineByLine(preview) : inPlainSight(preview)}
        complete
        actions={chat.markdown}
      />
    </div>
  );
}

/** A plan may contain joined emoji, which stay. Characters that reorder displayed text are written out. */
function lineByLine(text: string): string {
  return text.split('\n').map(lineInPlainSight).join('\n');
}

interface DenyReasonProps {
  readonly busy: boolean;
  readonly deny: (reason: string | null) => void;
  readonly cancel: () => void;
}

/** Field for the reason. Enter denies, with or without a reason. */
function DenyReason({ busy, deny, cancel }: DenyReasonProps) {
  // A signal, because Enter may be pressed before the typed text is rendered.
  const reason = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const done = (): void => {
    const said = reason.peek().trim();
    if (!busy) deny(said === '' ? null : said);
  };
  return (
    <div class="approval-answer">
      <input
        ref={field}
        class="field"
        type="text"
        dir="auto"
        aria-label={t('Reason')}
        placeholder={t('Tell Hermes why, or what to do instead (optional)')}
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
          {t('Deny')}
        </button>
        <button type="button" class="button secondary compact" onClick={cancel}>
          {t('Cancel')}
        </button>
      </div>
    </div>
  );
}
