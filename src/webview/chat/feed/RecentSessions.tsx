import type { SessionSummary } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { age } from '../../times';
import { sessionStateLabels } from '../pickers/sessionStateLabels';
import { useNow } from '../common/timing';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { useChat } from '../state/chat';

/** Maximum number of sessions listed; the rest is in the list of all sessions. */
const mostRecent = 5;

/** The sessions used last, in the empty state. */
export function RecentSessions({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  const chat = useChat();
  const now = useNow(chat.timers.nowMs, 60_000);
  if (sessions.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent-title">
      <h2 id="recent-title" class="section-title">
        {t('Recent sessions')}
      </h2>
      <ul class="recent-list">
        {sessions.slice(0, mostRecent).map((session, index) => (
          <li key={session.id}>
            <button
              type="button"
              class={`recent-item${session.unread ? ' unread' : ''}${index === 0 ? ' recent-last' : ''}`}
              title={session.preview ?? undefined}
              onClick={() => void chat.part(SessionSwitchController).open(session.id)}
            >
              <span class="recent-title" dir="auto">
                {session.title ?? session.preview ?? t('Untitled Session')}
              </span>
              <span class="recent-state">{sessionStateLabels(session)}</span>
              <span class="recent-age">{age(session.lastActiveAt, now / 1000)}</span>
              {index === 0 && (
                <span class="recent-words" dir="auto">
                  {lastText(session)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="link-button" onClick={() => chat.part(SessionSwitchController).showAll()}>
        {t('Show All Sessions…')}
      </button>
    </section>
  );
}

/** Label of the last session, with its preview unless that repeats the title. */
function lastText({ title, preview }: SessionSummary): string {
  const isNews = title !== null && preview !== null && !folded(preview).startsWith(folded(title));
  return [t('Continue the last session'), ...(isNews ? [preview] : [])].join(' · ');
}

/** Returns the text as compared with another: without the mark of a shortened title, in one case and spacing. */
function folded(text: string): string {
  return text
    .replace(/(?:…|\.\.\.)$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
