import { StoreError } from '../storeError';

/** A call that would break a rule of the transcript. Nothing was written. */
export function invalid(technical: string): StoreError {
  return new StoreError('invalid', 'The store refused a write that would damage the transcript. Nothing was changed.', technical);
}

export function notFound(what: 'session' | 'turn' | 'queued prompt', id: string): StoreError {
  return new StoreError('not-found', `This ${what} is not in the store any more.`, `no ${what} ${id}`);
}
