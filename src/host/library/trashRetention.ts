import { DisposableStore, type Disposable } from '../../base/disposable';
import { describeError } from '../common/describeError';
import type { LibraryWindow } from './libraryWindow';

const daySeconds = 86_400;
/** Milliseconds. Erasing rewrites the file, so it waits until the window has started. */
const delayMs = 20_000;

/** Erases sessions that were in the trash for too long. Runs once, some time after the store has opened, and not
 *  during an answer. */
export class TrashRetention implements Disposable {
  private readonly lifetime = new DisposableStore();
  private cancelWait: (() => void) | null = null;
  private isDue = false;

  /** `onErased`: called when sessions were erased: lists must be read again. */
  constructor(
    private readonly window: LibraryWindow,
    private readonly onErased: () => void,
  ) {
    this.lifetime.register(window.gateway.turns.onDidChangeRunning(() => void this.prune()));
  }

  /** Called when the store has opened. */
  opened(): void {
    this.cancelWait?.();
    this.cancelWait = this.window.clock.after(delayMs, () => {
      this.isDue = true;
      void this.prune();
    });
  }

  dispose(): void {
    this.cancelWait?.();
    this.lifetime.dispose();
  }

  private async prune(): Promise<void> {
    const { history, gateway, settings, clock, log, forgetCopies } = this.window;
    const { trashDays } = settings.current;
    if (!this.isDue || this.lifetime.isDisposed || gateway.turns.running().length > 0) return;
    this.isDue = false;
    if (trashDays === 0) return;
    try {
      const { sessionIds } = await history.store.pruneTrash(clock.now() - trashDays * daySeconds);
      if (sessionIds.length === 0) return;
      log.info(`${sessionIds.length} sessions were in the trash for more than ${trashDays} days and are erased.`);
      this.onErased();
      for (const sentence of (await Promise.all(forgetCopies.run(sessionIds))).flat()) log.warn(sentence);
    } catch (error) {
      log.warn(`The trash could not be emptied of what is old: ${describeError(error).sentence}`);
    }
  }
}
