import type { Clock } from '../../../base/clock';
import { DisposableStore, type Disposable, type Emitter } from '../../../base/disposable';

const hourMs = 3_600_000;
/** Milliseconds after the last turn before a backup that is due begins. */
const idleMs = 30_000;
/** Milliseconds that a backup may wait for an idle moment. It then runs beside a turn, which does not wait for it. */
const longestWaitMs = 15 * 60_000;
const firstRetryMs = 10 * 60_000;

interface ScheduledBackup {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** True while an answer is being written. */
  readonly isBusy: () => boolean;
  readonly onDidChangeBusy: Emitter<void>['event'];
  /** Makes a backup if anything changed, and erases what is due in older ones. */
  readonly make: () => Promise<void>;
  /** Called once when backups begin to fail, with the reason, and with null when one was made again. */
  readonly report: (failure: unknown) => void;
}

/** Makes a backup every hour while the store is open, in an idle moment if there is one. A failed backup is tried again
 *  after ten minutes, then after twice as long each time, at most an hour. */
export class BackupScheduler implements Disposable {
  private readonly lifetime = new DisposableStore();
  private cancel: () => void = () => undefined;
  /** Monotonic milliseconds since when a backup is due; null when none is. */
  private dueSince: number | null = null;
  private isRunning = false;
  private failures = 0;

  constructor(private readonly deps: ScheduledBackup) {
    this.lifetime.register(deps.onDidChangeBusy(() => this.plan()));
  }

  /** Call it when the store was opened: the first backup is due at once. */
  start(): void {
    if (this.lifetime.isDisposed) return;
    this.dueSince = this.deps.clock.monotonicMs();
    this.plan();
  }

  dispose(): void {
    this.cancel();
    this.lifetime.dispose();
  }

  /** Waits for the idle moment, or for the end of the longest wait. */
  private plan(): void {
    if (this.dueSince === null || this.isRunning || this.lifetime.isDisposed) return;
    const { clock, isBusy } = this.deps;
    const left = Math.max(0, this.dueSince + longestWaitMs - clock.monotonicMs());
    this.wait(isBusy() ? left : Math.min(idleMs, left), () => void this.run());
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    this.dueSince = null;
    let nextMs = hourMs;
    try {
      await this.deps.make();
      if (this.failures > 0) this.deps.report(null);
      this.failures = 0;
    } catch (error) {
      if (this.failures === 0 && !this.lifetime.isDisposed) this.deps.report(error);
      nextMs = Math.min(hourMs, firstRetryMs * 2 ** this.failures);
      this.failures++;
    }
    this.isRunning = false;
    if (!this.lifetime.isDisposed) this.wait(nextMs, () => this.start());
  }

  private wait(delayMs: number, then: () => void): void {
    this.cancel();
    this.cancel = this.deps.clock.after(delayMs, then);
  }
}
