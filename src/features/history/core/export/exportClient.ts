import { callOnce } from '../../../../base/threads/calledThread';
import { startThread } from '../../../../base/threads/channel';
import { t } from '../../../../base/translate';
import type { WorkProgress } from '../../../../store/slicedWork';
import { StoreError, storeErrors } from '../../../../store/storeError';
import type { ExportedFile } from './exportFile';
import type { ExportMethods, ExportThread } from './exportWorker';

/** Exports sessions in a thread that lives for one export. Rejects with a `StoreError`, or with the signal's reason;
 *  then what was at the path before is unchanged. `entry`: path of `dist/exportWorker.js`. Progress is in sessions. */
export function exportInThread(
  entry: string,
  what: ExportThread,
  course: { readonly signal?: AbortSignal; readonly onProgress?: (progress: WorkProgress) => void } = {},
): Promise<ExportedFile> {
  const options = {
    start: () => startThread(entry, { name: 'hermes-export' }),
    errors: storeErrors,
    ended: (technical: string) => new StoreError('unknown', t('The export ended unexpectedly. Try again.'), technical),
  };
  return callOnce<ExportMethods, 'export'>(options, 'export', [what], course);
}
