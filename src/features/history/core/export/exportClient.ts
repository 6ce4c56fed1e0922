import { t } from '../../../../base/translate';
import { runThread, type ThreadOptions } from '../threads/threadRun';
import type { ExportedFile } from './exportFile';
import type { ExportThread } from './exportMessages';

/** Exports sessions in a thread that lives for one export. Rejects with a `StoreError`, or with the signal's reason;
 *  then what was at the path before is unchanged. `entry`: path of `dist/exportWorker.js`. */
export function exportInThread(
  entry: string,
  thread: ExportThread,
  options: ThreadOptions = {},
): Promise<ExportedFile> {
  const unexpected = t('The export ended unexpectedly. Try again.');
  return runThread<ExportedFile>({ entry, name: 'hermes-export', data: thread, unexpected }, options);
}
