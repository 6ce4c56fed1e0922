import { useEffect } from 'preact/hooks';
import { t } from '../localization';
import { Composer } from './composer/Composer';
import { EmptyState } from './feed/EmptyState';
import { Feed } from './feed/Feed';
import { Header } from './Header';
import { Banners } from './Banners';
import { useLasting } from './common/timing';
import { lazyTurn } from './turn/lazyTurn';
import { lazyComposer } from './composer/lazyComposer';
import { type Chat, ChatContext, useChat } from './state/chat';

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
