import type { SearchResult, SearchSession } from '../protocol/searchProtocol';
import { IconButton } from '../../../webview/buttons';
import { t } from '../../../webview/localization';
import { clockTime, fullTime } from '../../../webview/times';
import { roleWord } from '../../../webview/turnLabels';
import type { FoundMessages, SearchController } from './searchController';
import { plainSnippet, snippetPieces, type SearchGroup } from './searchGroups';
import { sessionFacts } from './searchLabels';

/** Search results: sessions with a matching title, then messages under their session. Arrow keys move through the
 *  messages. */
export function Results({ screen, found }: { readonly screen: SearchController; readonly found: FoundMessages }) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const scroller = event.currentTarget instanceof HTMLElement ? event.currentTarget : null;
    const next = resultAfter(scroller, document.activeElement, event.key);
    if (next === null) return;
    event.preventDefault();
    (next === 'field' ? document.getElementById('search-field') : next)?.focus();
  };
  const groups = screen.groups.value;
  // Skip sessions that are already listed with their messages.
  const titled = found.titled.filter(
    (session) => !groups.some((group) => group.conversationId === session.conversationId),
  );
  const nothing = found.hits.length === 0 && found.kind === 'words';
  return (
    <div class="results" onKeyDown={onKeyDown}>
      {titled.length > 0 && (
        <section class="titled" aria-labelledby="titled-title">
          <h2 id="titled-title" class="results-title">
            {t('Titles and First Prompts')}
          </h2>
          <ul class="titled-list">
            {titled.map((session) => (
              <li key={session.id}>
                <SessionButton screen={screen} sessionId={session.id} title={session.title} session={session} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {found.hits.length > 0 && (
        <ul class="result-groups" aria-label={t('Messages')}>
          {groups.map((group) => (
            <Group key={group.conversationId} screen={screen} group={group} />
          ))}
        </ul>
      )}
      {nothing && (
        <button type="button" class="link-button results-more" onClick={() => screen.setKind('substring')}>
          {t('Find messages that contain this text anywhere')}
        </button>
      )}
      {found.hasMore && (
        <button
          type="button"
          class="button secondary results-more"
          disabled={screen.loadingMore.value}
          onClick={() => void screen.more()}
        >
          {screen.loadingMore.value ? t('Searching…') : t('Show More')}
        </button>
      )}
    </div>
  );
}

function Group({ screen, group }: { readonly screen: SearchController; readonly group: SearchGroup }) {
  const { sessionId, session, hits } = group;
  return (
    <li class="result-group">
      <h2 class="result-session">
        <SessionButton screen={screen} sessionId={sessionId} title={group.title} session={session} />
      </h2>
      <ul class="hits">
        {hits.map((hit) => (
          <Hit key={hit.messageUid} screen={screen} hit={hit} sessionId={sessionId} />
        ))}
      </ul>
    </li>
  );
}

function SessionButton({
  screen,
  sessionId,
  title,
  session,
}: {
  readonly screen: SearchController;
  readonly sessionId: string;
  readonly title: string | null;
  readonly session: SearchSession | null;
}) {
  return (
    <button type="button" class="session-button" onClick={() => void screen.open(sessionId, null, 'chat')}>
      <span class="session-name" dir="auto">
        {title ?? session?.preview ?? t('Untitled Session')}
      </span>
      {session !== null && <span class="session-facts">{sessionFacts(session, screen.timers.nowMs() / 1000)}</span>}
    </button>
  );
}

function Hit({
  screen,
  hit,
  sessionId,
}: {
  readonly screen: SearchController;
  readonly hit: SearchResult;
  readonly sessionId: string;
}) {
  const { messageUid } = hit;
  const isActive = screen.active.value === messageUid;
  const openTranscript = (): void => void screen.open(sessionId, messageUid, 'transcript');
  return (
    <li class="hit">
      <button
        type="button"
        class="hit-open"
        data-result={messageUid}
        tabIndex={isActive ? 0 : -1}
        onFocus={() => (screen.active.value = messageUid)}
        onClick={(event) => (event.shiftKey ? openTranscript() : void screen.open(sessionId, messageUid, 'chat'))}
      >
        <span class="hit-place">
          <span class="hit-role">{roleWord(hit.role)}</span>
          <time dateTime={new Date(hit.createdAt * 1000).toISOString()} title={fullTime(hit.createdAt)}>
            {clockTime(hit.createdAt, screen.timers.nowMs() / 1000)}
          </time>
        </span>
        <span class="hit-text" dir="auto">
          {snippetPieces(plainSnippet(hit)).map(({ text, matched }, index) =>
            matched ? <mark key={index}>{text}</mark> : text,
          )}
        </span>
      </button>
      <IconButton
        icon="list-flat"
        label={t('Open in Transcript')}
        class="hit-transcript"
        tabIndex={isActive ? 0 : -1}
        title={t('Open in Transcript (Shift+Enter)')}
        act={openTranscript}
      />
    </li>
  );
}

function rowsOf(scroller: HTMLElement | null): readonly HTMLElement[] {
  return [...(scroller?.querySelectorAll<HTMLElement>('button[data-result]') ?? [])];
}

/** Focuses the result with this uid, or the first one. */
export function focusResult(scroller: HTMLElement | null, uid: string | null): void {
  const rows = rowsOf(scroller);
  const row = rows.find((element) => element.dataset['result'] === uid) ?? rows[0];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

/** Returns the result a key leads to from the focused one; 'field' above the first, null for a key that does not
 *  move. */
function resultAfter(scroller: HTMLElement | null, from: Element | null, key: string): HTMLElement | 'field' | null {
  const rows = rowsOf(scroller);
  const at = rows.findIndex((element) => element === from);
  switch (key) {
    case 'ArrowDown':
      return rows[Math.min(rows.length - 1, at + 1)] ?? null;
    case 'ArrowUp':
      return at <= 0 ? 'field' : (rows[at - 1] ?? null);
    case 'Home':
      return rows[0] ?? null;
    case 'End':
      return rows.at(-1) ?? null;
    case 'Escape':
      return 'field';
    default:
      return null;
  }
}
