import { join } from 'node:path';
import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import { BackupClient } from '../core/backupClient';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import { StoreBackups, type BackupSettings } from './storeBackups';

interface WindowBackupsDeps {
  readonly context: { readonly globalStorageUri: { readonly fsPath: string } };
  /** Folder of the bundles. */
  readonly distFolder: string;
  readonly settings: { readonly current: BackupSettings };
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
