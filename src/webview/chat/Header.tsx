import { useRef, useState } from 'preact/hooks';
import { Icon, IconButton, LinkButton } from '../buttons';
import { t } from '../localization';
import type { SessionOrigin } from '../../protocol/chatProtocol';
import type { Session } from '../../transcript/session';
import { refusalOf } from './connection/chatHost';
import { lazyPanel } from './lazyPanel';
import { SessionSwitchController } from './session/sessionSwitchController';
import { useChat } from './state/chat';
import { useInPlaceEditor, useOutside } from './common/hooks';
import { lazyPickers } from './pickers/OptionPicker';

/** Session title (renamed in place), the session it branched from, and the model that answers. */
export function Header() {
  const chat = useChat();
  const { conversation, beginning } = chat.steady.value;
  const session = conversation?.session ?? null;
  const lazy = lazyPanel.value;
  const isPrivate = session === null ? beginning.private : session.private;
  return (
    <header class="header">
      <div class="header-line">
        {session === null ? (
          <h1 class="title">{t('New Session')}</h1>
        ) : (
          <Title session={session} key={session.conversationId} />
        )}
        {isPrivate && <PrivateMark />}
        {lazy !== null && <lazy.SyncMark />}
        <AgentButton />
        <ModelPicker />
      </div>
      {conversation !== null && conversation.origin !== null && <Origin origin={conversation.origin} />}
    </header>
  );
}

/** Opens the list of agents: who answers in this session. */
function AgentButton() {
  const chat = useChat();
  return (
    <IconButton icon="hubot" label={t('Choose Agent')} class="agent-button" act={() => chat.runAction('chooseAgent')} />
  );
}

function PrivateMark() {
  return (
    <span class="private-mark" title={t('Private session: saved locally, not added to memory.')}>
      <Icon name="lock" />
      <span class="private-words">{t('Private')}</span>
    </span>
  );
}

function Origin({ origin }: { readonly origin: SessionOrigin }) {
  const chat = useChat();
  if (origin.sessionId === null) return <p class="origin">{t('Branched from a deleted session')}</p>;
  const names = { title: origin.title ?? t('Untitled Session') };
  const isSubAgent = origin.hasSubAgent === true;
  if (origin.isTrashed && !isSubAgent)
    return <p class="origin">{t('Branched from “{title}”, which is in the trash', names)}</p>;
  return (
    <p class="origin">
      <LinkButton
        label={isSubAgent ? t('Sub-agent of “{title}”', names) : t('Branched from “{title}”', names)}
        class="origin-button"
        title={isSubAgent ? t('Open the session that started this sub-agent') : t('Open the original session')}
        disabled={origin.isTrashed}
        act={() => void chat.part(SessionSwitchController).open(origin.sessionId)}
      />
    </p>
  );
}

function Title({ session }: { readonly session: Session }) {
  const chat = useChat();
  const button = useRef<HTMLButtonElement>(null);
  const { editing, edit, close } = useInPlaceEditor(() => button.current?.focus());
  const shown = session.title ?? t('Untitled Session');
  if (editing) return <TitleField session={session} done={close} />;
  return (
    <h1 class="title">
      <button
        ref={button}
        type="button"
        class="title-button"
        title={t('Rename Session')}
        aria-label={t('Rename Session: {title}', { title: shown })}
        onClick={edit}
        disabled={chat.steady.value.store.kind !== 'open'}
      >
        <span class="title-text" dir="auto">
          {shown}
        </span>
        <Icon name="edit" />
      </button>
    </h1>
  );
}

/** Title editor. A refused title stays in the field, with the reason below it. */
function TitleField({ session, done }: { readonly session: Session; readonly done: (hadFocus: boolean) => void }) {
  const chat = useChat();
  const asking = useRef(false);
  // Removing the field also blurs it; that blur must not end the edit a second time.
  const hasEnded = useRef(false);
  const end = (hadFocus: boolean): void => {
    if (!hasEnded.current) done(hadFocus);
    hasEnded.current = true;
  };
  const [refused, setRefused] = useState<{ readonly title: string; readonly sentence: string } | null>(null);
  const save = async (text: string): Promise<void> => {
    if (asking.current || hasEnded.current) return;
    asking.current = true;
    const sentence =
      text === (session.title ?? '')
        ? null
        : await refusalOf(() => chat.host.request('rename', { sessionId: session.id, title: text }));
    asking.current = false;
    if (sentence !== null) return setRefused({ title: text, sentence });
    const hasFocus =
      document.activeElement instanceof HTMLInputElement && document.activeElement.classList.contains('title-field');
    end(hasFocus);
  };
  return (
    <div class="title-editor">
      <input
        class="title-field"
        aria-label={t('Session Title')}
        aria-invalid={refused !== null}
        aria-describedby={refused === null ? undefined : 'title-refusal'}
        dir="auto"
        defaultValue={session.title ?? ''}
        ref={(field: HTMLInputElement | null) => {
          if (field !== null && field.dataset['focused'] === undefined) {
            field.dataset['focused'] = 'true';
            field.focus();
            field.select();
          }
        }}
        onBlur={(event) => {
          const text = event.currentTarget.value.trim();
          if (text === '') end(false);
          else if (text !== refused?.title) void save(text);
        }}
        onKeyDown={(event) => {
          if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
          event.preventDefault();
          if (event.key === 'Enter') return void save(event.currentTarget.value.trim());
          end(true);
        }}
      />
      {refused !== null && (
        <p class="title-refusal" id="title-refusal" role="alert">
          {refused.sentence}
        </p>
      )}
    </div>
  );
}

/** Button that names the model and where prompts go, and opens the list of models. */
function ModelPicker() {
  const chat = useChat();
  const { chosen } = chat.steady.value.model;
  const open = chat.ui.pickerOpen.value;
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const lazy = lazyPickers.value;
  const close = (): void => {
    chat.ui.pickerOpen.value = false;
    button.current?.focus();
  };
  useOutside(root, open, () => (chat.ui.pickerOpen.value = false));
  return (
    <div class="model-picker" ref={root}>
      <button
        ref={button}
        type="button"
        class="model-button"
        role="combobox"
        aria-label={t('Model')}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? 'model-popup' : undefined}
        title={
          chosen === null
            ? t('Choose a Model')
            : t('{model}: prompts go to {destination}', { model: chosen.label, destination: chosen.destination })
        }
        onClick={() => (open ? close() : chat.ui.chooseModel())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || open) return;
          event.preventDefault();
          chat.ui.chooseModel();
        }}
      >
        <span class="model-label" dir="auto">
          {chosen?.label ?? t('Choose a Model')}
        </span>
        {chosen !== null && <span class="model-destination">{chosen.destination}</span>}
        <Icon name="chevron-down" />
      </button>
      {open && lazy !== null && <lazy.ModelPopup close={close} />}
    </div>
  );
}
