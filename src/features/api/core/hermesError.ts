import { StoreError } from '../../../store/storeError';
import type { HermesError } from './hermes';

/** Error that calls of other extensions fail with. */
export class ApiError extends Error implements HermesError {
  override readonly name = 'HermesError';
  constructor(
    readonly code: HermesError['code'],
    message: string,
  ) {
    super(message);
  }
}

/** Translates errors of the store into errors of the API. Returns any other error unchanged: it is a bug of ours. */
export function apiError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.causeClass) {
    case 'not-found':
      return new ApiError('notFound', error.message);
    case 'invalid':
      return new ApiError('invalid', error.message);
    default:
      return new ApiError('unavailable', error.message);
  }
}
