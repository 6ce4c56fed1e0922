import type { SessionSummary } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** Describes the state of a session in a list. Returns only what is unusual: a completed turn that the user has seen
 *  has no text. */
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
