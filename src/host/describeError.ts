import { GatewayError } from '../gateway/gateway';
import { ModelError } from '../models/modelProvider';
import type { ProtocolError } from '../protocol/envelope';
import { StoreError } from '../store/storeError';
import { MentionError } from './attachments/promptAttachments';

/** What a person is told about a failed request. Our own errors carry their sentence; anything else is a defect, named plainly. */
export function describeError(error: unknown): ProtocolError {
  if (error instanceof StoreError || error instanceof GatewayError)
    return { sentence: error.message, cause: error.causeClass };
  if (error instanceof ModelError) return { sentence: error.failure.sentence, cause: error.failure.cause };
  if (error instanceof MentionError) return { sentence: error.message, cause: 'mention' };
  const reason = error instanceof Error ? error.message : String(error);
  return {
    sentence: `Something went wrong: ${reason.replace(/[.\s]*$/, '')}. Everything shown is saved. See the log for details.`,
    cause: 'unknown',
  };
}

/** The editor took back what it was asked, as it does with all that is pending when its window closes or reloads: nothing went wrong. */
export function isWithdrawn(error: unknown): boolean {
  return error instanceof Error && error.name === 'Canceled';
}

/** Errors that say nothing about a defect: the log gets a line, not a stack. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof GatewayError ||
    error instanceof ModelError ||
    error instanceof MentionError
  );
}
