import type { StoreFailureCause } from '../transcript/stopReason';

/** Why a store call failed: a cause class of the disk or the file, or a rule of ours that the call would have broken. `deleted`: files of the store
 *  were deleted while it was open, and nothing took their place. Opening it again brings back what they held. */
export type StoreErrorCause = StoreFailureCause | 'deleted' | 'conversation-busy' | 'not-found' | 'invalid';

/** A failed store call. `message` is a sentence for a person (what happened, what to do); `technical` is the plain reason underneath.
 *  After any cause but `conversation-busy`, `not-found` and `invalid` the write is unknown: read again before repeating it. */
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

/** Whether a write that failed so may have been done all the same: it was the disk's or the file's fault, not a rule of ours. */
export function isUnknownOutcome({ causeClass }: StoreError): boolean {
  return causeClass !== 'conversation-busy' && causeClass !== 'not-found' && causeClass !== 'invalid';
}
