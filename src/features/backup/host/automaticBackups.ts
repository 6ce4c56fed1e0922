import type { Clock } from '../../../base/clock';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import { DisposableStore, type Disposable, type Emitter } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { BackupScheduler } from '../core/backupScheduler';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import { describeError } from '../../../host/common/describeError';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { BackupSettings, StoreBackups } from './storeBackups';

export interface AutomaticBackupsDeps {
  readonly connection: Pick<StoreConnection, 'state' | 'onDidChangeState'>;
  readonly gateway: GatewayPart<'turns', 'running' | 'onDidChangeRunning'>;
  readonly backups: Pick<StoreBackups, 'makeScheduled'>;
  /** Folder of this window's store. */
  readonly store: () => string;
  readonly settings: () => BackupSettings;
  readonly onDidChangeSettings: Emitter<void>['event'];
  readonly status: Pick<StoreStatus, 'offer'>;
  readonly openSettings: (setting: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes backups while this window owns its store. A failure is shown once, as a notice in the chat, until a backup is
 *  made again. No turn waits for a backup. */
export class AutomaticBackups implements Disposable {
  private readonly lifetime = new DisposableStore();
  private scheduler: BackupScheduler | null = null;
  private wanted = '';

  constructor(private readonly deps: AutomaticBackupsDeps) {
    this.wanted = this.wantedNow();
    this.lifetime.register(deps.connection.onDidChangeState(() => this.update()));
    this.lifetime.register(deps.onDidChangeSettings(() => this.settingsChanged()));
    this.update();
  }

  dispose(): void {
    this.stop();
    this.lifetime.dispose();
  }

  private update(): void {
    if (this.deps.connection.state.kind !== 'open') return this.stop();
    if (this.scheduler === null) this.start();
  }

  private start(): void {
    const { clock, gateway, backups } = this.deps;
    const store = this.deps.store();
    this.scheduler = new BackupScheduler({
      clock,
      isBusy: () => gateway.turns.running().some(({ isWaiting }) => !isWaiting),
      onDidChangeBusy: (listener) => gateway.turns.onDidChangeRunning(listener),
      make: () => backups.makeScheduled(store),
      report: (failure) => this.report(failure),
    });
    this.scheduler.start();
  }

  private stop(): void {
    this.scheduler?.dispose();
    this.scheduler = null;
  }

  private settingsChanged(): void {
    const wanted = this.wantedNow();
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.restart();
  }

  private restart(): void {
    this.report(null);
    this.stop();
    this.update();
  }

  private wantedNow(): string {
    const { backupsEnabled, backupsFolder } = this.deps.settings();
    return JSON.stringify([backupsEnabled, backupsFolder]);
  }

  private report(failure: unknown): void {
    const { status, log, openSettings } = this.deps;
    if (failure === null) return status.offer('backups', []);
    const reason = describeError(failure).sentence;
    log.warn(`No backup was made: ${reason}`);
    status.offer('backups', [
      {
        sentence: t('Your sessions aren’t backed up at the moment. {reason}', { reason }),
        choices: [
          { label: t('Try Again'), run: async () => this.restart() },
          { label: t('Open Settings'), run: () => openSettings('hermes.backups') },
        ],
      },
    ]);
  }
}
