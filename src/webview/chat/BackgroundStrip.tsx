import type { BackgroundSession } from '../../protocol/chatProtocol';
import { Icon, IconButton, LinkButton } from '../buttons';
import { t } from '../localization';
import { SessionSwitchController } from './session/sessionSwitchController';
import { useChat } from './state/chat';
import type { ChatSync } from '../../protocol/syncProtocol';

const syncIcons: Readonly<Record<ChatSync['state'], string>> = {
  even: 'cloud',
  waiting: 'cloud-upload',
  failed: 'cloud',
  overdue: 'warning',
};

interface StateLabels {
  readonly icon: string;
  readonly words: (named: { readonly title: string }) => string;
}

const states: Readonly<Record<BackgroundSession['state'], StateLabels>> = {
  running: { icon: 'loading', words: (named) => t('Also running: {title}', named) },
  waiting: { icon: 'bell', words: (named) => t('Waiting for you: {title}', named) },
  complete: { icon: 'check', words: (named) => t('Finished: {title}', named) },
  interrupted: { icon: 'warning', words: (named) => t('Interrupted: {title}', named) },
  failed: { icon: 'error', words: (named) => t('Failed: {title}', named) },
};

/** Maximum number of sessions named here; the session list shows the others. */
const mostNamed = 3;

/** Sessions that run in the background, and finished ones the user has not looked at yet. */
export function BackgroundStrip() {
  const chat = useChat();
  const { background } = chat.steady.value;
  const unnamed = background.length - mostNamed;
  return (
    <>
      {background.slice(0, mostNamed).map((session) => (
        <Line key={session.sessionId} session={session} />
      ))}
      {unnamed > 0 && (
        <div class="strip strip-background">
          <span class="strip-words">
            {unnamed === 1 ? t('and 1 more session') : t('and {count} more sessions', { count: unnamed })}
          </span>
          <LinkButton label={t('Show All Sessions…')} act={() => chat.part(SessionSwitchController).showAll()} />
        </div>
      )}
    </>
  );
}

function Line({ session }: { readonly session: BackgroundSession }) {
  const chat = useChat();
  const { sessionId, state, title } = session;
  const { icon, words } = states[state];
  const isOver = state !== 'running' && state !== 'waiting';
  return (
    <div class={`strip strip-background strip-background-${state}`} role="status">
      <Icon name={icon} spin={state === 'running'} />
      <span class="strip-words" dir="auto">
        {words({ title: title ?? t('Untitled Session') })}
      </span>
      <LinkButton label={t('Show')} act={() => void chat.part(SessionSwitchController).open(sessionId)} />
      {isOver && <LinkButton label={t('Dismiss')} act={() => chat.host.send('dismissBackground', { sessionId })} />}
    </div>
  );
}

/** Says up to when the server has the sessions. Quiet as long as nothing is older than a day. */
export function SyncMark() {
  const chat = useChat();
  const { sync } = chat.steady.value;
  if (sync === null) return null;
  return (
    <IconButton
      icon={syncIcons[sync.state]}
      label={sync.line}
      class={`sync-mark sync-mark-${sync.state}`}
      act={() => chat.host.send('showSync', {})}
    />
  );
}
