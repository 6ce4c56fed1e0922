import { t } from '../../../base/translate';
import { StoreError } from '../../storeError';
import type { Turn } from '../../../transcript/turn';

/** The error for a call that would violate an invariant of the transcript. Nothing was written. */
export function invalid(technical: string): StoreError {
  return new StoreError(
    'invalid',
    t('This change would damage the transcript, so it was not saved. Nothing was changed.'),
    technical,
  );
}

/** The error for a user's request that cannot be fulfilled, with the sentence that states the reason. Nothing was
 *  written. */
export function refused(sentence: string, technical: string): StoreError {
  return new StoreError('invalid', sentence, technical);
}

/** The error for a change that has to wait for the conversation's open turn. */
export function busy(sentence: string, open: Pick<Turn, 'uid' | 'state'>): StoreError {
  return new StoreError('conversation-busy', sentence, `turn ${open.uid} is ${open.state}`);
}

export function notFound(what: 'session' | 'turn' | 'queued prompt' | 'approval', id: string): StoreError {
  const sentence = {
    session: t('This session no longer exists.'),
    turn: t('This no longer exists.'),
    'queued prompt': t('This no longer exists.'),
    approval: t('This no longer exists.'),
  }[what];
  return new StoreError('not-found', sentence, `no ${what} ${id}`);
}
