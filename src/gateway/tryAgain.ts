import type { Clock } from '../base/clock';
import { isUnknownOutcome, StoreError } from '../store/storeError';

/** Pause before a write is tried once more, as the recorder does with its writes. */
const againMs = 100;

/** Asks the store for a write that may be repeated. One whose outcome is unknown is asked for once more: it is then done, or answered with what
 *  was done. */
export async function tryAgain<T>(clock: Clock, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof StoreError) || !isUnknownOutcome(error)) throw error;
    await new Promise<void>((resolve) => clock.after(againMs, resolve));
    return write();
  }
}
