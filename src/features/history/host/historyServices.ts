import { homedir } from 'node:os';
import { join } from 'node:path';
import { reportFailure } from '../../../host/common/commands';
import { editorWorkNotice } from '../../../host/notifications/longWork';
import type { WindowContext } from '../../../host/window/windowContext';
import { checkInThread } from '../core/check/checkClient';
import type { CheckThread } from '../core/check/checkWorker';
import type { CheckOptions } from '../core/check/findings';
import { ImportClient } from '../core/import/importClient';
import { usualPlaces } from '../core/sources/historyPlaces';

/** A thread that imports, and must be closed. */
export type Importer = Pick<ImportClient, 'scan' | 'preview' | 'run' | 'openFile' | 'close'>;

/** What the commands of this feature use of one window. */
export type HistoryServices = ReturnType<typeof historyServices>;

export function historyServices({ context, distFolder, history, sessions, opener, editor, ...window }: WindowContext) {
  const copies = join(context.globalStorageUri.fsPath, 'reading');
  return {
    clock: window.clock,
    ids: window.ids,
    log: window.log,
    transcripts: window.transcripts,
    store: history.store,
    startWorker: history.startWorker,
    notice: editorWorkNotice,
    /** Folder for private copies. */
    copies,
    /** Folder of this window's store. */
    storeFolder: () => history.folder,
    /** Places of other agents on this machine. */
    places: () => usualPlaces({ home: homedir(), platform: process.platform, environment: process.env }),
    openImporter: (): Importer =>
      new ImportClient(join(distFolder, 'importWorker.js'), copies, () => history.connection.openPort()),
    /** Checks a place, or one session of it, in a thread. */
    check: (what: Omit<CheckThread, 'copies'>, options: CheckOptions) =>
      checkInThread(join(distFolder, 'checkWorker.js'), { ...what, copies }, options),
    /** Resolves when this window's history can be written; rejects with a sentence when it cannot. */
    ready: async () => {
      history.status.begin();
      await history.status.settled();
    },
    /** Delays a takeover by another window until the work has ended. */
    during: <T>(work: Promise<T>): Promise<T> => history.connection.during(work),
    openInChat: (sessionId: string) => opener.open(sessionId, null, 'chat'),
    openTranscript: (sessionId: string, messageUid: string | null) => editor.openTranscript(sessionId, messageUid),
    /** Shows sessions that became readable. */
    refresh: () => sessions.refresh(),
    /** Reports the failure of a command for which nobody waits. */
    failed: (command: string) => (error: unknown) => reportFailure(command, error, window.log),
  };
}
