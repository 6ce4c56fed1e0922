import { errorMessage } from '../../base/errorMessage';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import { ModelError } from '../../models/modelProvider';
import type { ProtocolError } from '../../protocol/envelope';
import { StoreError } from '../../store/storeError';

/** Error for a mention that cannot be read. The message is for the user and names the mention. */
export class MentionError extends Error {
  override readonly name = 'MentionError';
}

/** Describes an error to the user. Our own errors carry their sentence; any other error is a bug and is reported as
 *  one. */
export function describeError(error: unknown): ProtocolError {
  if (error instanceof StoreError || error instanceof GatewayError)
    return { sentence: error.message, cause: error.causeClass };
  if (error instanceof ModelError) return { sentence: error.failure.sentence, cause: error.failure.cause };
  if (error instanceof MentionError) return { sentence: error.message, cause: 'mention' };
  const reason = errorMessage(error);
  return {
    sentence: t('Something went wrong: {reason}. Everything shown is saved. See the log for details.', {
      reason: reason.replace(/[.\s]*$/, ''),
    }),
    cause: 'unknown',
  };
}

/** True when the editor canceled the request, as it does with all pending ones when its window closes or reloads:
 *  nothing went wrong. */
export function isWithdrawn(error: unknown): boolean {
  return error instanceof Error && error.name === 'Canceled';
}

/** True for errors that do not mean a bug: the log gets a line, not a stack. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof GatewayError ||
    error instanceof ModelError ||
    error instanceof MentionError
  );
}
