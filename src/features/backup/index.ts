import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { startBackups } from './host/startBackups';
import { windowBackups } from './host/windowBackups';

/** Backups of sessions, and what takes the space of the store (docs/backups.md). */
export function register(window: WindowContext): void {
  const { own, history, log } = window;
  const backups = windowBackups(window);
  own(window.beforeOpening.add((folder) => backups.beforeOpening(folder)));
  own(window.forgetCopies.add((sessionIds) => backups.forget(history.folder, sessionIds)));
  own(registerCommands(startBackups(window, backups), log));
}
