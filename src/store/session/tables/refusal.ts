import { StoreError } from '../../storeError';
import type { Turn } from '../../../transcript/turn';

/** A call that would break a rule of the transcript. Nothing was written. */
export function invalid(technical: string): StoreError {
  return new StoreError(
    'invalid',
    'This change would damage the transcript, so it was not saved. Nothing was changed.',
    technical,
  );
}

/** A wish of the person's that cannot be met, with the sentence that says why. Nothing was written. */
export function refused(sentence: string, technical: string): StoreError {
  return new StoreError('invalid', sentence, technical);
}

/** A change that has to wait for the conversation's open turn. */
export function busy(sentence: string, open: Pick<Turn, 'uid' | 'state'>): StoreError {
  return new StoreError('conversation-busy', sentence, `turn ${open.uid} is ${open.state}`);
}

export function notFound(what: 'session' | 'turn' | 'queued prompt' | 'approval', id: string): StoreError {
  return new StoreError('not-found', `This ${what} is not in the store any more.`, `no ${what} ${id}`);
}
