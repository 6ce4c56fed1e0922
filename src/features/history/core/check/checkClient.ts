import { t } from '../../../../base/translate';
import { runThread } from '../threads/threadRun';
import type { CheckThread } from './checkMessages';
import type { CheckOptions, CheckResult } from './findings';

/** Checks a place in a thread that lives for one check. Rejects with a `StoreError`, or with the signal's reason.
 *  `entry`: path of `dist/checkWorker.js`. */
export async function checkInThread(
  entry: string,
  thread: CheckThread,
  options: CheckOptions = {},
): Promise<CheckResult> {
  const unexpected = t('The check ended unexpectedly. Try again.');
  const result = await runThread<CheckResult>({ entry, name: 'hermes-check', data: thread, unexpected }, options);
  // It may have been done before it heard of the signal.
  options.signal?.throwIfAborted();
  return result;
}
