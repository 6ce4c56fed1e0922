import { t } from '../base/translate';
import type { ThreadErrors } from '../base/threads/calls';
import type { StoreFailureCause } from '../transcript/stopReason';

/** Reason why a store call failed: a cause class of the disk or the file, or a rule of ours that the call would have
 *  violated. `deleted`: files of the store were deleted while it was open, and no others took their place. Reopening
 *  restores their content. */
export type StoreErrorCause = StoreFailureCause | 'deleted' | 'conversation-busy' | 'not-found' | 'invalid';

/** A failed store call. `message` is a sentence for the user (what happened, what to do); `technical` is the
 *  technical reason. After any cause but `conversation-busy`, `not-found` and `invalid` the outcome of the write is
 *  unknown: read again before repeating it. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly causeClass: StoreErrorCause,
    message: string,
    readonly technical: string,
  ) {
    super(message);
  }
}

/** True when a failed write may have been done all the same: the disk or the file caused the failure, not a rule of
 *  ours. */
export function isUnknownOutcome({ causeClass }: StoreError): boolean {
  return causeClass !== 'conversation-busy' && causeClass !== 'not-found' && causeClass !== 'invalid';
}

/** A `StoreError` as data: structured clone would keep its text but not its class. */
export type StoreErrorData = Pick<StoreError, 'causeClass' | 'message' | 'technical'>;

export function storeErrorData(error: unknown): StoreErrorData {
  if (error instanceof StoreError)
    return { causeClass: error.causeClass, message: error.message, technical: error.technical };
  return {
    causeClass: 'unknown',
    message: t('Saving failed unexpectedly. Everything shown is saved. Reload the window and try again.'),
    technical: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function reviveStoreError(data: StoreErrorData): StoreError {
  return new StoreError(data.causeClass, data.message, data.technical);
}

/** How a thread passes the errors of its calls on. */
export const storeErrors: ThreadErrors = {
  toData: storeErrorData,
  fromData: (data) => reviveStoreError(data as StoreErrorData),
  uncloneable: (technical) =>
    new StoreError('invalid', t('This couldn’t be saved because it contains invalid data.'), technical),
};
