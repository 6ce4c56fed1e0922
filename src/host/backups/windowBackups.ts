import { join } from 'node:path';
import type { ExtensionContext } from 'vscode';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { BackupClient } from '../../history/backup/backupClient';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import { StoreBackups } from './storeBackups';

export interface WindowBackupsDeps {
  readonly context: Pick<ExtensionContext, 'globalStorageUri'>;
  /** Folder of the bundles. */
  readonly distFolder: string;
  readonly settings: Pick<SettingsWatcher, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Backups of one window, made in threads of their own. */
export function windowBackups({ context, distFolder, settings, clock, log }: WindowBackupsDeps): StoreBackups {
  const copies = join(context.globalStorageUri.fsPath, 'reading');
  return new StoreBackups({
    settings: () => settings.current,
    openClient: (place) => new BackupClient(join(distFolder, 'backupWorker.js'), place, copies),
    fileSystem: new NodeFileSystem(),
    now: () => clock.now(),
    log,
  });
}
