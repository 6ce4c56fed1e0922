import { useEffect } from 'preact/hooks';
import { t } from '../localization';
import { Composer } from './composer/Composer';
import { Feed } from './feed/Feed';
import { Header } from './Header';
import { Banners } from './Banners';
import { useLasting } from './common/hooks';
import { lazyTurn } from './turn/lazyTurn';
import { lazyComposer } from './composer/lazyComposer';
import { type Chat, ChatContext, useChat } from './state/chat';
import { LinkButton } from '../buttons';
import { lazyFeed } from './feed/lazyFeed';

export function App({ chat }: { readonly chat: Chat }) {
  return (
    <ChatContext.Provider value={chat}>
      <Panel />
    </ChatContext.Provider>
  );
}

function Panel() {
  const chat = useChat();
  const { ready, conversation } = chat.steady.value;
  const lazy = lazyComposer.value;
  const turn = lazyTurn.value;
  useEffect(() => {
    const closeOrStop = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) void chat.stop();
    };
    document.addEventListener('keydown', closeOrStop);
    return () => document.removeEventListener('keydown', closeOrStop);
  }, [chat]);
  if (!ready) return <Waiting />;
  return (
    <main class="panel">
      <Header />
      <Banners />
      {conversation === null ? (
        <EmptyState />
      ) : (
        <Feed conversation={conversation} key={conversation.session.conversationId} />
      )}
      <div class="foot">
        {turn !== null && <turn.CommandStrip />}
        {conversation !== null && lazy !== null && <lazy.QueueList queue={conversation.queue} />}
        <Composer />
      </div>
      <div class="visually-hidden" role="status">
        {chat.ui.announced.value}
      </div>
      {chat.ui.warned.value !== '' && (
        <div class="visually-hidden" role="alert">
          {chat.ui.warned.value}
        </div>
      )}
    </main>
  );
}

function Waiting() {
  const lasting = useLasting(true, 150);
  return lasting ? <div class="progress" role="progressbar" aria-label={t('Opening…')} /> : null;
}

/** Empty state, shown when there is no conversation: an introduction, the available models, and recent sessions. */
function EmptyState() {
  const chat = useChat();
  const lazy = lazyFeed.value;
  const { model, recentSessions, folderName, isVirtual, beginning } = chat.state.value;
  return (
    <div class="empty">
      <p class="empty-line">
        {t('Hermes works in your folder with the model you choose. Everything you see is already saved.')}
      </p>
      {beginning.private && <p class="empty-note">{t('Private session: saved locally, not added to memory.')}</p>}
      {folderName === null && (
        <p class="empty-note">
          {t('No folder is open. Hermes can chat, but has no files to read.')}{' '}
          <LinkButton label={t('Open Folder')} act={() => chat.runAction('openFolder')} />
        </p>
      )}
      {isVirtual && (
        <p class="empty-note">
          {t('This folder isn’t on a local disk. Hermes can read and edit its files, but can’t run commands here.')}
        </p>
      )}
      {model.chosen === null
        ? lazy !== null && <lazy.SetupOffers />
        : lazy !== null && <lazy.Suggestions isDemo={model.chosen.isDemo} canLook={model.chosen.tools !== false} />}
      {model.chosen?.warnings.map((warning) => (
        <p class="empty-note" key={warning}>
          {warning}
        </p>
      ))}
      {lazy !== null && <lazy.RecentSessions sessions={recentSessions} />}
      <p class="empty-note">
        <LinkButton label={t('Get Started with Hermes')} act={() => chat.runAction('getStarted')} />
      </p>
    </div>
  );
}
