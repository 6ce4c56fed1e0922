import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { SyncFeature } from './host/syncFeature';

/** Sync of the history with a server of the user's (docs/sync.md). */
export function register(window: WindowContext): void {
  const sync = window.own(new SyncFeature(window));
  window.own(registerCommands(sync.commands, window.log));
}
