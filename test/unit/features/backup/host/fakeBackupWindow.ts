import { Emitter } from '../../../../../src/base/disposable';
import type { BackupWindow } from '../../../../../src/features/backup/host/storeBackups';
import { ManualClock } from '../../../../support/manualClock';
import { RecordingLog } from '../../../host/recordingLog';
import { openState } from '../../../host/storeAtHand';

export const never = (): never => {
  throw new Error('This is not asked for here.');
};

type History = BackupWindow['history'];
type Changes = Partial<Omit<BackupWindow, 'history'>> & {
  readonly history?: Partial<Omit<History, 'connection' | 'status'>> & {
    readonly connection?: Partial<History['connection']>;
    readonly status?: Partial<History['status']>;
  };
};

/** A window whose store is open at `/store`. What a test does not expect to be called throws. */
export function fakeBackupWindow({ history, ...change }: Changes = {}): BackupWindow {
  return {
    settings: { current: { backupsEnabled: true, backupsFolder: null }, onDidChange: new Emitter<void>().event },
    gateway: {
      turns: { running: () => [], onDidChangeRunning: new Emitter<void>().event },
      actions: { copyToThisFolder: never },
    },
    activeChat: { all: [] },
    opener: { open: never },
    editor: { openSettings: never },
    sessions: { trash: never, erase: never, refresh: never },
    clock: new ManualClock(),
    log: new RecordingLog(),
    ...change,
    history: {
      folder: '/store',
      isReplacing: false,
      store: { storeSizes: never, listSessions: never },
      ...history,
      connection: {
        state: openState,
        onDidChangeState: new Emitter<never>().event,
        whileClosed: (work) => work(),
        during: (work) => work,
        ...history?.connection,
      },
      status: { settled: () => Promise.resolve(), offer: () => undefined, ...history?.status },
    },
  };
}
