import type { SessionSummary } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** How a session stands, in a list. Only what is not as usual is said: a completed turn that was seen has no word. */
export function sessionStateLabels(session: SessionSummary): string {
  switch (session.lastTurn?.state) {
    case 'running':
      return t('running');
    case 'waiting':
      return t('waiting for you');
    case 'interrupted':
      return t('interrupted');
    case 'failed':
      return t('failed');
    case 'complete':
    case undefined:
      if (session.unread) return t('unread');
      return session.queuedCount > 0 ? t('{count} queued', { count: session.queuedCount }) : '';
  }
}
