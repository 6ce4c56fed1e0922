import { CalledThread } from '../../../../base/threads/calledThread';
import { startThread } from '../../../../base/threads/channel';
import { t } from '../../../../base/translate';
import type { StorePort } from '../../../../store/worker/storePort';
import { StoreError, storeErrorData, storeErrors } from '../../../../store/storeError';
import type { ForeignSession } from '../sources/foreign';
import type {
  ImportOptions,
  ImportResult,
  OpenedFile,
  Preview,
  Scan,
  ScanOptions,
  ImportService,
  SearchedPlaces,
} from './importing';
import type { ImportMethods } from './importWorker';

/** An import in a thread of its own, started with the first task. The thread reads, converts, and writes to the store's
 *  thread directly. Call `close` when the import is done. */
export class ImportClient implements ImportService {
  private readonly thread: CalledThread<ImportMethods>;

  /** `entry`: path of `dist/importWorker.js`. `copies`: folder used only for its private copies of databases.
   *  `openPort`: called when the store is needed, and again after its thread has ended; may throw a `StoreError`. */
  constructor(
    entry: string,
    copies: string,
    private readonly openPort: () => StorePort,
  ) {
    this.thread = new CalledThread<ImportMethods>({
      start: () => startThread(entry, { name: 'hermes-import', data: { copies } }),
      errors: storeErrors,
      ended: (technical) =>
        new StoreError(
          'unknown',
          t('The import ended early. Sessions that were imported before are kept. Start it again to continue.'),
          technical,
        ),
      onEvent: () => void this.connect(),
    });
  }

  scan(places: SearchedPlaces, { files, ...options }: ScanOptions = {}): Promise<Scan> {
    return this.thread.call('scan', [places, files ?? null], options);
  }

  /** Reads any file with sessions into a private store, which the caller removes. Writes nothing else. Rejects with a
   *  `StoreError` when it holds no session that can be read, or is a file of ours that is not whole or of a later
   *  version; and with the reason of the signal. */
  openFile(path: string, options: Omit<ImportOptions, 'includeForgotten'> = {}): Promise<OpenedFile> {
    return this.thread.call('openFile', [path], options);
  }

  preview(found: readonly ForeignSession[]): Promise<Preview> {
    return this.thread.call('preview', [found]);
  }

  run(
    found: readonly ForeignSession[],
    { includeForgotten = false, ...options }: ImportOptions = {},
  ): Promise<ImportResult> {
    return this.thread.call('run', [found, includeForgotten], options);
  }

  /** Ends the thread. Tasks in progress fail; a session that is not whole is removed by the store. */
  close(): Promise<void> {
    return this.thread.end();
  }

  /** Connects the thread with the store's, when it asks for that. */
  private async connect(): Promise<void> {
    try {
      const { port, readOnly } = this.openPort();
      await this.thread.call('useStore', [port, readOnly], { transfer: [port] });
    } catch (error) {
      // After the end of the thread there is nobody to answer.
      if (this.thread.isRunning) await this.thread.call('refuseStore', [storeErrorData(error)]).catch(() => undefined);
    }
  }
}
