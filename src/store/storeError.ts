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
