import type { SearchProgress, SearchSession } from '../protocol/searchProtocol';
import { pageLanguage, t } from '../../../webview/localization';
import { age } from '../../../webview/times';
import type { FoundMessages, SearchStatus } from './searchController';

const whole = new Intl.NumberFormat(pageLanguage);
/** Number of rows not in the index below which nothing is shown: such rows are from the last moments and slow
 *  nothing down. */
const worthTelling = 500;

/** Status below the field, also for screen readers. */
export function statusText(status: SearchStatus, found: FoundMessages | null, groups: number): string {
  switch (status) {
    case 'idle':
      return t('Type to search the messages of all sessions in this folder.');
    case 'typing':
    case 'searching':
      return found === null ? t('Searching…') : foundText(found, groups);
    case 'stopped':
      return t('The search was stopped. Press Enter to search again.');
    case 'failed':
      return '';
    case 'found':
      return found === null ? '' : foundText(found, groups);
    default:
      return status satisfies never;
  }
}

function foundText({ text, kind, hits, hasMore, titled }: FoundMessages, groups: number): string {
  if (hits.length === 0) {
    if (titled.length > 0) return t('No messages contain “{text}”', { text });
    return kind === 'words'
      ? t('No messages contain the words “{text}”', { text })
      : t('Nothing found for “{text}”', { text });
  }
  const count = whole.format(hits.length);
  if (hasMore) return t('The newest {count} messages, in {sessions} sessions', { count, sessions: groups });
  if (hits.length === 1) return t('1 message');
  return groups === 1
    ? t('{count} messages in 1 session', { count })
    : t('{count} messages in {sessions} sessions', { count, sessions: groups });
}

export function progressText({ done, total }: SearchProgress): string {
  return t('{done} of {total} rows read', { done: whole.format(done), total: whole.format(total) });
}

/** Null when there is nothing worth showing. */
export function indexText(left: number): string | null {
  if (left < worthTelling) return null;
  return t('{count} rows aren’t in the search index yet. They are still found, but searching takes longer.', {
    count: whole.format(left),
  });
}

/** Facts beside a session's title. `now`: seconds. */
export function sessionFacts(session: SearchSession, now: number): string {
  return [
    age(session.lastActiveAt, now),
    session.turnCount === 1 ? t('1 turn') : t('{count} turns', { count: session.turnCount }),
    ...(session.branchOf === null
      ? []
      : [t('branched from “{title}”', { title: session.branchOf.title ?? t('Untitled Session') })]),
    ...(session.private ? [t('private')] : []),
    ...(session.archived ? [t('archived')] : []),
  ].join(' · ');
}
