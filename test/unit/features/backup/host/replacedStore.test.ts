import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../../src/base/disposable';
import type { BackupSummary } from '../../../../../src/features/backup/core/manifest';
import type { StoreState } from '../../../../../src/store/ownership/storeState';
import { openState as open } from '../../../host/storeAtHand';
import { RecordingLog } from '../../../host/recordingLog';
import { editor } from '../../../host/answeringEditor';
import { BackupCommands } from '../../../../../src/features/backup/host/backupCommands';
import { timeText } from '../../../../../src/features/backup/host/backupPicks';
import { followStore } from '../../../../../src/host/window/windowStoreChanges';
import { fakeBackupWindow, never } from './fakeBackupWindow';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

const backup: BackupSummary = {
  id: 'backup-1',
  madeAt: 1_700_000_000,
  reason: 'request',
  sessions: 1,
  messages: 2,
  bytes: 4096,
  addedBytes: 4096,
};

/** A window with the parts that follow its store. `seen` lists what happened, in order. */
function windowOf(restoring: () => Promise<void> = () => Promise.resolve()) {
  const states = new Emitter<StoreState>();
  const seen: string[] = [];
  const log = new RecordingLog();
  const connection = {
    state: open,
    onDidChangeState: states.event,
    during: <T>(work: Promise<T>) => work,
    whileClosed: async <T>(work: () => Promise<T>): Promise<T> => {
      seen.push('closed');
      try {
        return await work();
      } finally {
        seen.push('opened');
        states.fire(open);
      }
    },
    leaveReplaced: never,
    bringBack: never,
  };
  const gateway = {
    turns: { running: () => [], onDidChangeRunning: new Emitter<void>().event },
    actions: { copyToThisFolder: never },
    queue: { resume: async () => void seen.push('queues continue') },
  };
  const window = fakeBackupWindow({
    history: {
      connection,
      store: { storeSizes: () => Promise.reject(new Error('The file is damaged.')), listSessions: never },
    },
    gateway,
    activeChat: { all: [{ leaveStore: () => void seen.push('left') }] },
    sessions: { trash: never, erase: never, refresh: () => void seen.push('refreshed') },
    log,
  });
  const { table: commands } = new BackupCommands(window, {
    make: never,
    bringBack: never,
    folder: () => '/backups',
    list: async () => ({ backups: [backup], bytes: 4096, damaged: [] }),
    others: async () => [],
    contents: async () => [],
    restore: async () => {
      seen.push('restored');
      await restoring();
      return { before: null, quarantined: null };
    },
  });
  const { status } = window.history;
  const history = Object.assign(window.history, {
    connection: { ...window.history.connection, ...connection },
    status: { ...status, setNotices: () => undefined },
  });
  followStore({
    history,
    sessions: { storeOpened: () => undefined },
    approvalNotices: { readWaiting: () => Promise.resolve() },
    gateway,
    log,
    own: () => undefined,
  });
  const restore = async (): Promise<void> => {
    editor.picks.push(timeText(backup.madeAt));
    editor.multiPicks.push({ button: true });
    editor.buttons.push('Restore Everything');
    await commands['restoreFromBackup']?.();
  };
  return { history, restore, seen, reopen: () => states.fire(open) };
}

describe('a whole backup that is put in place', () => {
  it('continues no queue of prompts; the next opening does', async () => {
    const { restore, seen, reopen, history } = windowOf();
    await restore();
    expect([seen, history.isReplacing]).toEqual([['closed', 'left', 'restored', 'opened', 'refreshed'], false]);
    reopen();
    expect(seen.at(-1)).toBe('queues continue');
  });

  it('that fails continues no queue either, and says why', async () => {
    const { restore, seen, reopen, history } = windowOf(() => Promise.reject(new Error('The backup is damaged.')));
    await expect(restore()).rejects.toThrow('The backup is damaged.');
    expect([seen, history.isReplacing]).toEqual([['closed', 'left', 'restored', 'opened'], false]);
    reopen();
    expect(seen.at(-1)).toBe('queues continue');
  });
});
