import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval, ApprovalDecision, ApprovalRequest } from '../../../transcript/approval';
import { Icon, LinkButton } from '../../buttons';
import { t, shownList } from '../../localization';
import { Markdown } from '../../markdown/Markdown';
import { showInvisible, showMisleading } from '../../../transcript/text/invisibleCharacters';
import { isLowValueRead } from '../../toolLabels';
import { hookSentence } from '../../toolReasons';
import {
  approvalName,
  approvalPlace,
  approvalTitle,
  placeAmong,
  reasonsOf,
  reasonText,
  riskText,
  insideTexts,
  unconfinedText,
} from './approvalLabels';
import { DiffView } from '../../DiffView';
import { ApprovalActions } from './ApprovalActions';
import { ReasonField, RuleEditor } from './CardFields';
import { ApprovalController } from './approvalController';
import { Drafts } from '../drafts/drafts';
import { type Chat, useChat } from '../state/chat';

type Opened = 'nothing' | 'rules' | 'reason';

/** Approval request above the composer, shown until it is decided here or elsewhere. No habitual key press decides
 *  anything: the card itself takes the focus, never a button, keys count only once it has been there for a moment, and
 *  Escape only leaves the card. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const chat = useChat();
  const card = useRef<HTMLElement>(null);
  const [opened, setOpened] = useState<Opened>('nothing');
  const busy = chat.part(ApprovalController).deciding.value !== null;
  const { request } = approval;
  const name = approvalName(request);
  const isPlan = request.access.kind === 'plan';
  useEffect(() => {
    chat.part(ApprovalController).appeared(approval.id);
    const inChat =
      document.hasFocus() &&
      (document.activeElement === document.body || (document.activeElement?.closest('.panel') ?? null) !== null);
    if (inChat && !isInTheMiddle(chat)) card.current?.focus();
    else chat.ui.warned.value = name;
  }, []);
  const decide = async (decision: ApprovalDecision): Promise<void> => {
    const hadFocus = card.current?.contains(document.activeElement) === true;
    if ((await chat.part(ApprovalController).decide(approval.id, decision)) && hadFocus) chat.focusComposer();
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
    } else if (opened === 'nothing' && (event.ctrlKey || event.metaKey) && isDeciding(event.key)) {
      event.preventDefault();
      if (isPlan && event.key === 'Backspace') setOpened('reason');
      else if (chat.part(ApprovalController).takesKeys(approval.id))
        void decide(event.key === 'Enter' ? { kind: 'allow', scope: 'once' } : { kind: 'deny', reason: null });
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
        <Reasons request={request} />
        <Preview approval={approval} />
        <EditsAfter approval={approval} />
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
        <ReasonField
          isPlan={isPlan}
          busy={busy}
          deny={(reason) => void decide({ kind: 'deny', reason })}
          cancel={() => {
            setOpened('nothing');
            card.current?.focus();
          }}
        />
      )}
      {opened === 'nothing' && (
        <ApprovalActions request={request} busy={busy} decide={(made) => void decide(made)} open={setOpened} />
      )}
    </section>
  );
}

function isDeciding(key: string): boolean {
  return key === 'Enter' || key === 'Backspace';
}

/** True when the focus is where the user is writing, searching or choosing: the next keystrokes there must not reach
 *  a request. */
function isInTheMiddle(chat: Chat): boolean {
  const focused = document.activeElement;
  return (
    chat.part(Drafts).text.peek() !== '' ||
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
  const unconfined = access.kind === 'run' ? unconfinedText(access, chat.steady.value.sandbox) : null;
  return (
    <>
      {access.kind !== 'plan' && (
        <pre class="approval-subject" tabIndex={0} dir="ltr">
          {showInvisible(access.kind === 'run' ? access.command : request.subject)}
        </pre>
      )}
      {place !== null && (
        <p class="approval-where">
          {[showInvisible(place), ...(access.kind === 'run' ? insideTexts(access) : [])].join(' · ')}
        </p>
      )}
      {unconfined !== null && <p class="approval-where">{unconfined}</p>}
    </>
  );
}

/** Risks of the request, and the reasons for asking if they are unusual. */
function Reasons({ request }: { readonly request: ApprovalRequest }) {
  const chat = useChat();
  const { access, risks = [] } = request;
  const showsPlace = access.kind === 'run' && unconfinedText(access, chat.steady.value.sandbox) !== null;
  const reasons = reasonsOf(request, showsPlace);
  return (
    <>
      {risks.length > 0 && (
        <ul class="approval-risks" aria-label={t('Risks')}>
          {risks.map((risk) => (
            <li key={`${risk.kind} ${risk.target ?? ''}`}>
              <Icon name="warning" />
              <span>{riskText(risk)}</span>
            </li>
          ))}
        </ul>
      )}
      {reasons.length > 0 && (
        <ul class="approval-reasons">
          {reasons.map((reason) => (
            <li key={reason}>{reasonText(reason)}</li>
          ))}
        </ul>
      )}
      {(request.hooks?.runs ?? [])
        .filter(({ outcome }) => outcome !== 'passed')
        .map((run, index) => (
          <p class="approval-reasons" key={index}>
            {showInvisible(hookSentence(run))}
          </p>
        ))}
    </>
  );
}

/** Number of waiting edits that the card names. */
const mostNamed = 4;

/** Edits that Allow All would allow too. */
function EditsAfter({ approval: { id, request } }: { readonly approval: Approval }) {
  const chat = useChat();
  const { together = [] } = request;
  if (together.length === 0) return null;
  const named = together.slice(0, mostNamed).map(({ subject }) => showInvisible(subject));
  const left = together.length - named.length;
  return (
    <p class="approval-behind">
      <span>
        {left === 0
          ? t('Also waiting: {files}', { files: shownList(named) })
          : t('Also waiting: {files}, and {count} more', { files: shownList(named), count: left })}
      </span>
      <LinkButton
        label={t('Open All Diffs')}
        title={t('Open the changes of all {count} edits in one diff editor', { count: together.length + 1 })}
        act={() => chat.host.send('openProposals', { approvalId: id })}
      />
    </p>
  );
}

/** Number of lines of a change that the card shows until the user asks for all. */
const previewLines = 200;

function Preview({ approval: { id, request } }: { readonly approval: Approval }) {
  const { access, preview } = request;
  const chat = useChat();
  if (preview === null || preview === '') return null;
  if (access.kind === 'edit') {
    return (
      <DiffView diff={preview} label={t('Changes')} nameless={access.paths.length === 1} most={previewLines}>
        <LinkButton
          label={t('Open Diff')}
          title={t('Open the full diff in an editor')}
          act={() => chat.host.send('openProposal', { approvalId: id })}
        />
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
        text={access.kind === 'plan' ? lineByLine(preview) : showInvisible(preview)}
        complete
        actions={chat.markdown}
      />
    </div>
  );
}

/** A plan may contain joined emoji, which stay. Characters that reorder displayed text are written out. */
function lineByLine(text: string): string {
  return text.split('\n').map(showMisleading).join('\n');
}
