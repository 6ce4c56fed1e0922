import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { Session, SessionSummary } from '../../../protocol/transcriptWords';
import { useChat } from './ChatContext';
import { ModelPicker } from './ModelPicker';

/** Title of the session (renamed in place), where it branched from, and who answers. */
export function Header() {
  const chat = useChat();
  const { conversation, recentSessions } = chat.state.value;
  const session = conversation?.session ?? null;
  return (
    <header class="header">
      <div class="header-line">
        {session === null ? <h1 class="title">{t('New Session')}</h1> : <Title session={session} key={session.conversationId} />}
        <ModelPicker />
      </div>
      {session?.parentKind === 'branch' && <p class="origin">{originWords(session, recentSessions)}</p>}
    </header>
  );
}

function originWords(session: Session, recent: readonly SessionSummary[]): string {
  const parent = recent.find((other) => other.id === session.parentSessionId)?.title ?? null;
  return parent === null ? t('Branched from an earlier session') : t('Branched from “{title}”', { title: parent });
}

function Title({ session }: { readonly session: Session }) {
  const chat = useChat();
  const [editing, setEditing] = useState(false);
  const shown = session.title ?? t('Untitled Session');
  if (editing) return <TitleField title={session.title ?? ''} done={() => setEditing(false)} />;
  return (
    <h1 class="title">
      <button type="button" class="title-button" title={t('Rename Session')} aria-label={t('Rename Session: {title}', { title: shown })} onClick={() => setEditing(true)} disabled={chat.state.value.store.kind !== 'open'}>
        <span class="title-text" dir="auto">{shown}</span>
        <Icon name="edit" />
      </button>
    </h1>
  );
}

function TitleField({ title, done }: { readonly title: string; readonly done: () => void }) {
  const chat = useChat();
  const cancelled = useRef(false);
  const finish = (field: HTMLInputElement): void => {
    const text = field.value.trim();
    if (!cancelled.current && text !== '' && text !== title) void chat.rename(text);
    done();
  };
  return (
    <input
      class="title-field"
      aria-label={t('Session Title')}
      dir="auto"
      defaultValue={title}
      maxLength={200}
      ref={(field: HTMLInputElement | null) => {
        if (field !== null && document.activeElement !== field) {
          field.focus();
          field.select();
        }
      }}
      onBlur={(event) => finish(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        cancelled.current = event.key === 'Escape';
        event.currentTarget.blur();
        chat.focusComposer();
      }}
    />
  );
}
