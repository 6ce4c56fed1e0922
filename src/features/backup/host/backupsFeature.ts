import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import { DisposableStore, type Disposable, type Emitter } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { Translate } from '../../../base/translate';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import type { Session } from '../../../transcript/session';
import type { CommandTable } from '../../../host/common/commands';
import type { LabelContext } from '../../../host/library/sessionLabels';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import { AutomaticBackups, type AutomaticBackupsDeps } from './automaticBackups';
import { BackupCommands, type BackupCommandDeps } from './backupCommands';
import { StorageUse, type StorageUseDeps } from './storageUse';
import type { BackupSettings } from './storeBackups';

export interface BackupsFeatureDeps {
  readonly backups: AutomaticBackupsDeps['backups'] & BackupCommandDeps['backups'];
  readonly connection: AutomaticBackupsDeps['connection'] & Pick<StoreConnection, 'whileClosed' | 'during'>;
  /** Folder of this window's store. */
  readonly folder: () => string;
  readonly sessions: BackupCommandDeps['sessions'] & StorageUseDeps['sessions'];
  readonly store: Pick<StoreStatus, 'settled' | 'offer'>;
  readonly settings: { readonly current: BackupSettings; readonly onDidChange: Emitter<void>['event'] };
  readonly gateway: AutomaticBackupsDeps['gateway'] & BackupCommandDeps['gateway'] & StorageUseDeps['gateway'];
  /** Makes every chat leave the session that it shows. */
  readonly leaveStore: () => void;
  readonly openInChat: (sessionId: string) => Promise<void>;
  readonly openSettings: (query: string) => Promise<void>;
  /** Moves sessions to the trash and offers Undo. */
  readonly trash: (sessions: readonly Session[]) => Promise<void>;
  /** Asks, then erases sessions for good. */
  readonly erase: (sessions: readonly Session[]) => Promise<void>;
  readonly onRestored: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly t: Translate;
}

/** Backups in this window: the schedule, restoring, and what takes the space of the store. */
export class BackupsFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private replaced = false;
  readonly commands: CommandTable;

  constructor(deps: BackupsFeatureDeps) {
    const { backups, connection, folder, sessions, store, settings, gateway, clock, log, t } = deps;
    const labels = (): LabelContext => ({ t, language: vscode.env.language, now: clock.now() });
    const settled = (): Promise<void> => store.settled();
    this.lifetime.register(
      new AutomaticBackups({
        connection,
        gateway,
        backups,
        store: folder,
        settings: () => settings.current,
        onDidChangeSettings: settings.onDidChange,
        status: store,
        openSettings: deps.openSettings,
        clock,
        log,
      }),
    );
    const commands = new BackupCommands({
      backups,
      store: folder,
      sessions,
      gateway,
      settled,
      during: (work) => deps.connection.during(work),
      whileClosed: (work) => this.replacing(work, deps),
      labels,
      onRestored: deps.onRestored,
      log,
    });
    const use = new StorageUse({
      sessions,
      gateway,
      settled,
      labels,
      openInChat: deps.openInChat,
      trash: deps.trash,
      erase: deps.erase,
    });
    this.commands = { ...commands.table, ...use.table };
  }

  /** True while the store is closed to be replaced by a backup, and while it opens again. */
  get isReplacing(): boolean {
    return this.replaced;
  }

  private async replacing<T>(
    work: () => Promise<T>,
    { connection, leaveStore }: Pick<BackupsFeatureDeps, 'connection' | 'leaveStore'>,
  ): Promise<T> {
    this.replaced = true;
    try {
      return await connection.whileClosed(() => {
        leaveStore();
        return work();
      });
    } finally {
      this.replaced = false;
    }
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
