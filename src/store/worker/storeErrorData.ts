import { StoreError, type StoreErrorCause } from '../storeError';

/** A `StoreError` as data: structured clone would keep its text but not its class. */
export interface StoreErrorData {
  readonly causeClass: StoreErrorCause;
  readonly message: string;
  readonly technical: string;
}

export function storeErrorData(error: unknown): StoreErrorData {
  if (error instanceof StoreError)
    return { causeClass: error.causeClass, message: error.message, technical: error.technical };
  return {
    causeClass: 'unknown',
    message: 'Saving failed unexpectedly. Everything shown is saved. Reload the window and try again.',
    technical: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function reviveStoreError(data: StoreErrorData): StoreError {
  return new StoreError(data.causeClass, data.message, data.technical);
}
