import { DisposableStore, type Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { describeError } from '../../../host/common/describeError';
import type { BackupWindow } from './storeBackups';
import type { StoreBackups } from './storeBackups';

const hourMs = 3_600_000;
/** Milliseconds after the last turn before a backup that is due begins. */
const idleMs = 30_000;
/** Milliseconds that a backup may wait for an idle moment. It then runs beside a turn, which does not wait for it. */
const longestWaitMs = 15 * 60_000;
const firstRetryMs = 10 * 60_000;

/** Makes a backup every hour while this window owns its store, in an idle moment if there is one. A failed backup is
 *  tried again after ten minutes, then after twice as long each time, at most an hour. The failure is shown once, as a
 *  notice in the chat, until a backup is made again. No turn waits for a backup. */
export class AutomaticBackups implements Disposable {
  private readonly lifetime = new DisposableStore();
  private cancel: () => void = () => undefined;
  /** The present time as owner; null while this window does not own the store. */
  private period: { failures: number } | null = null;
  /** Monotonic milliseconds since when a backup is due; null when none is. */
  private dueSince: number | null = null;
  private wanted: string;

  constructor(
    private readonly window: BackupWindow,
    private readonly backups: Pick<StoreBackups, 'makeScheduled'>,
  ) {
    const { history, settings, gateway } = window;
    this.wanted = this.wantedNow();
    this.lifetime.register(history.connection.onDidChangeState(() => this.update()));
    this.lifetime.register(settings.onDidChange(() => this.settingsChanged()));
    this.lifetime.register(gateway.turns.onDidChangeRunning(() => this.plan()));
    this.update();
  }

  dispose(): void {
    this.stop();
    this.lifetime.dispose();
  }

  private update(): void {
    if (this.window.history.connection.state.kind !== 'open') return this.stop();
    if (this.period !== null) return;
    this.period = { failures: 0 };
    this.begin();
  }

  private stop(): void {
    this.cancel();
    this.period = this.dueSince = null;
  }

  private begin(): void {
    this.dueSince = this.window.clock.monotonicMs();
    this.plan();
  }

  /** Waits for the idle moment, or for the end of the longest wait. */
  private plan(): void {
    if (this.dueSince === null) return;
    const { clock, gateway } = this.window;
    const left = Math.max(0, this.dueSince + longestWaitMs - clock.monotonicMs());
    const isBusy = gateway.turns.running().some(({ isWaiting }) => !isWaiting);
    this.wait(isBusy ? left : Math.min(idleMs, left), () => void this.run());
  }

  private async run(): Promise<void> {
    const { period } = this;
    if (period === null) return;
    this.dueSince = null;
    let nextMs = hourMs;
    try {
      await this.backups.makeScheduled(this.window.history.folder);
      if (period.failures > 0) this.report(null);
      period.failures = 0;
    } catch (error) {
      if (period.failures === 0 && period === this.period) this.report(error);
      nextMs = Math.min(hourMs, firstRetryMs * 2 ** period.failures);
      period.failures++;
    }
    if (period === this.period) this.wait(nextMs, () => this.begin());
  }

  private wait(delayMs: number, then: () => void): void {
    this.cancel();
    this.cancel = this.window.clock.after(delayMs, then);
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
    const { backupsEnabled, backupsFolder } = this.window.settings.current;
    return JSON.stringify([backupsEnabled, backupsFolder]);
  }

  private report(failure: unknown): void {
    const { history, log, editor } = this.window;
    if (failure === null) return history.status.offer('backups', []);
    const reason = describeError(failure).sentence;
    log.warn(`No backup was made: ${reason}`);
    history.status.offer('backups', [
      {
        sentence: t('Your sessions aren’t backed up at the moment. {reason}', { reason }),
        choices: [
          { label: t('Try Again'), run: async () => this.restart() },
          { label: t('Open Settings'), run: () => editor.openSettings('hermes.backups') },
        ],
      },
    ]);
  }
}
