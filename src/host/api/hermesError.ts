import { StoreError } from '../../store/storeError';
import type { HermesError } from './hermes';

/** What other extensions' calls fail with. */
export class ApiError extends Error implements HermesError {
  override readonly name = 'HermesError';
  constructor(
    readonly code: HermesError['code'],
    message: string,
  ) {
    super(message);
  }
}

/** The store's failures in the words of the API; anything else is a defect of ours and stays what it is. */
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
