import type { Clock } from '../../base/clock';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { OutputFolder } from '../../tools/terminal/outputFolder';
import type { RunningCommands } from '../../tools/terminal/runningCommands';
import { errorWords } from '../errorWords';

/** Not while the window is still coming up. */
const delayMs = 60_000;

interface OutputCareNeeds {
  readonly outputs: OutputFolder;
  readonly running: RunningCommands;
  readonly sessions: { getSession(sessionId: string): Promise<object | null> };
  readonly onDidChangeSessions: (listener: (sessionIds: readonly string[]) => void) => Disposable;
  readonly clock: Clock;
  readonly log: Log;
}

/** Outputs of commands go with the session they belong to, and when they are old or too many. */
export class OutputCare implements Disposable {
  private readonly listening: Disposable;
  private readonly waiting: Disposable;

  constructor(private readonly needs: OutputCareNeeds) {
    this.listening = needs.onDidChangeSessions((sessionIds) => void this.guarded(() => this.forgetErased(sessionIds)));
    this.waiting = toDisposable(needs.clock.after(delayMs, () => void this.guarded(() => this.tidy())));
  }

  dispose(): void {
    this.listening.dispose();
    this.waiting.dispose();
  }

  private async tidy(): Promise<void> {
    const { outputs, running, log } = this.needs;
    const removed = await outputs.tidy((file) => running.isWriting(file));
    if (removed > 0) log.info(`${removed} old outputs of commands were removed.`);
  }

  /** A session that the store does not know any more was erased for good. When the store cannot be asked, nothing is removed. */
  private async forgetErased(sessionIds: readonly string[]): Promise<void> {
    const { outputs, sessions } = this.needs;
    const kept = new Set(await outputs.conversations());
    for (const sessionId of sessionIds) {
      if (kept.has(sessionId) && (await sessions.getSession(sessionId)) === null) await outputs.forget(sessionId);
    }
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.needs.log.warn(`Outputs of commands could not be tidied: ${errorWords(error).sentence}`);
    }
  }
}
