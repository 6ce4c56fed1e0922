import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { AutomaticBackups } from './host/automaticBackups';
import { BackupCommands } from './host/backupCommands';
import { StorageUse } from './host/storageUse';
import { StoreBackups } from './host/storeBackups';

/** Backups of sessions, and what takes the space of the store (docs/backups.md). */
export function register(window: WindowContext): void {
  const { own, history, log } = window;
  const backups = new StoreBackups(window);
  own(window.beforeOpening.add((folder) => backups.beforeOpening(folder)));
  own(window.forgetCopies.add((sessionIds) => backups.forget(history.folder, sessionIds)));
  own(new AutomaticBackups(window, backups));
  const commands = new BackupCommands(window, backups);
  own(registerCommands({ ...commands.table, ...new StorageUse(window).table }, log));
}
