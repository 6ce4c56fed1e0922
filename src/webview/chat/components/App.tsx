import { useEffect } from 'preact/hooks';
import { t } from '../../localization';
import { ChatContext, useChat } from './common/ChatContext';
import type { ChatController } from '../chatController';
import { Composer } from './composer/Composer';
import { EmptyState } from './feed/EmptyState';
import { Feed } from './feed/Feed';
import { Header } from './Header';
import { laterParts } from './common/laterParts';
import { Strips } from './Strips';
import { useLasting } from './common/timing';

export function App({ chat }: { readonly chat: ChatController }) {
  return (
    <ChatContext.Provider value={chat}>
      <Panel />
    </ChatContext.Provider>
  );
}

function Panel() {
  const chat = useChat();
  const { ready, conversation } = chat.steady.value;
  const later = laterParts.value;
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
      <Strips />
      {conversation === null ? (
        <EmptyState />
      ) : (
        <Feed conversation={conversation} key={conversation.session.conversationId} />
      )}
      <div class="foot">
        {conversation !== null && later !== null && <later.QueueList queue={conversation.queue} />}
        <Composer />
      </div>
      <div class="visually-hidden" role="status">
        {chat.announcements.text.value}
      </div>
      {chat.announcements.alert.value !== '' && (
        <div class="visually-hidden" role="alert">
          {chat.announcements.alert.value}
        </div>
      )}
    </main>
  );
}

function Waiting() {
  const lasting = useLasting(true, 150);
  return lasting ? <div class="progress" role="progressbar" aria-label={t('Opening…')} /> : null;
}
