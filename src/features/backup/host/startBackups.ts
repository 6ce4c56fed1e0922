import type { Clock } from '../../../base/clock';
import type { Disposable, Emitter } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { CommandTable } from '../../../host/common/commands';
import type { SessionsFeature } from '../../../host/library/sessionsFeature';
import type { EditorActions } from '../../../host/navigation/editorActions';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import { AutomaticBackups, type AutomaticBackupsDeps } from './automaticBackups';
import { BackupCommands, type BackupCommandDeps } from './backupCommands';
import { StorageUse, type StorageUseDeps } from './storageUse';
import type { BackupSettings } from './storeBackups';

/** The part of a window that backups use. */
export interface BackupWindow {
  own<T extends Disposable>(part: T): T;
  readonly history: {
    readonly folder: string;
    readonly connection: AutomaticBackupsDeps['connection'] & Pick<StoreConnection, 'whileClosed' | 'during'>;
    readonly store: BackupCommandDeps['sessions'] & StorageUseDeps['sessions'];
    readonly status: Pick<StoreStatus, 'settled' | 'offer'>;
    isReplacing: boolean;
  };
  readonly settings: { readonly current: BackupSettings; readonly onDidChange: Emitter<void>['event'] };
  readonly gateway: AutomaticBackupsDeps['gateway'] & BackupCommandDeps['gateway'] & StorageUseDeps['gateway'];
  readonly activeChat: { readonly all: readonly { leaveStore(): void }[] };
  readonly opener: { open(sessionId: string, messageUid: null, target: 'chat'): Promise<void> };
  readonly editor: Pick<EditorActions, 'openSettings'>;
  readonly sessions: Pick<SessionsFeature, 'trash' | 'erase' | 'refresh'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Starts the schedule of backups in this window. Returns the commands: backing up, restoring, and showing what takes
 *  the space of the store. */
export function startBackups(
  window: BackupWindow,
  backups: AutomaticBackupsDeps['backups'] & BackupCommandDeps['backups'],
): CommandTable {
  const { own, history, settings, gateway, editor, sessions, clock, log } = window;
  const { connection, status } = history;
  const store = (): string => history.folder;
  const settled = (): Promise<void> => status.settled();
  own(
    new AutomaticBackups({
      connection,
      gateway,
      backups,
      store,
      settings: () => settings.current,
      onDidChangeSettings: settings.onDidChange,
      status,
      openSettings: (query) => editor.openSettings(query),
      clock,
      log,
    }),
  );
  const commands = new BackupCommands({
    backups,
    store,
    sessions: history.store,
    gateway,
    settled,
    during: (work) => connection.during(work),
    whileClosed: (work) => replacing(work, window),
    onRestored: () => sessions.refresh(),
    log,
  });
  const use = new StorageUse({
    sessions: history.store,
    gateway,
    settled,
    clock,
    openInChat: (sessionId) => window.opener.open(sessionId, null, 'chat'),
    trash: (chosen) => sessions.trash(chosen),
    erase: (chosen) => sessions.erase(chosen),
  });
  return { ...commands.table, ...use.table };
}

async function replacing<T>(work: () => Promise<T>, { history, activeChat }: BackupWindow): Promise<T> {
  history.isReplacing = true;
  try {
    return await history.connection.whileClosed(() => {
      for (const chat of activeChat.all) chat.leaveStore();
      return work();
    });
  } finally {
    history.isReplacing = false;
  }
}
