import type { BackgroundSession } from '../../../protocol/chatProtocol';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { useChat } from './ChatContext';

const icons: Readonly<Record<BackgroundSession['state'], string>> = { running: 'loading', waiting: 'bell', complete: 'check', interrupted: 'warning', failed: 'error' };

/** Sessions that answer while another one is shown, and those that are done and were not looked at yet. */
export function BackgroundStrip() {
  const chat = useChat();
  const { background } = chat.state.value;
  return <>{background.map((session) => <Line key={session.sessionId} session={session} />)}</>;
}

function Line({ session }: { readonly session: BackgroundSession }) {
  const chat = useChat();
  const { sessionId, state } = session;
  const isOver = state !== 'running' && state !== 'waiting';
  return (
    <div class={`strip strip-background strip-background-${state}`} role="status">
      <Icon name={icons[state]} spin={state === 'running'} />
      <span class="strip-words" dir="auto">{words(session)}</span>
      <button type="button" class="link-button" onClick={() => void chat.switches.open(sessionId)}>{t('Show')}</button>
      {isOver && <button type="button" class="link-button" onClick={() => chat.dismissBackground(sessionId)}>{t('Dismiss')}</button>}
    </div>
  );
}

function words({ title, state }: BackgroundSession): string {
  const named = { title: title ?? t('Untitled Session') };
  switch (state) {
    case 'running':
      return t('Also running: {title}', named);
    case 'waiting':
      return t('Waiting for you: {title}', named);
    case 'complete':
      return t('Finished: {title}', named);
    case 'interrupted':
      return t('Interrupted: {title}', named);
    case 'failed':
      return t('Failed: {title}', named);
  }
}
