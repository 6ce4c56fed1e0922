import { callOnce } from '../../../../base/threads/calledThread';
import { startThread } from '../../../../base/threads/channel';
import { t } from '../../../../base/translate';
import { StoreError, storeErrors } from '../../../../store/storeError';
import type { CheckMethods, CheckThread } from './checkWorker';
import type { CheckOptions, CheckResult } from './findings';

/** Checks a place in a thread that lives for one check. Rejects with a `StoreError`, or with the signal's reason.
 *  `entry`: path of `dist/checkWorker.js`. */
export async function checkInThread(
  entry: string,
  what: CheckThread,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const thread = {
    start: () => startThread(entry, { name: 'hermes-check' }),
    errors: storeErrors,
    ended: (technical: string) => new StoreError('unknown', t('The check ended unexpectedly. Try again.'), technical),
  };
  const result = await callOnce<CheckMethods, 'check'>(thread, 'check', [what], options);
  // It may have been done before it heard of the signal.
  options.signal?.throwIfAborted();
  return result;
}
