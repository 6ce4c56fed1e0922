import type { Clock } from '../../base/clock';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { OutputFolder } from '../../tools/terminal/outputFolder';
import type { RunningCommands } from '../../tools/terminal/runningCommands';
import { describeError } from '../common/describeError';

/** Milliseconds, so that the window starts first. */
const delayMs = 60_000;
const ownSessionId = /^(?:\d{8}_\d{6}_[0-9a-f]{6}|import_[0-9a-f]{24}(?:~\d+)?(?:\.\d+)?)$/;

export interface RetentionWindow {
  readonly history: { readonly store: Pick<SessionStore, 'getSession'> };
  readonly gateway: GatewayPart<'surfaces', 'onDidChangeSessions'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes outputs of commands when their session is erased, and when they are too old or too many. */
export class OutputRetention implements Disposable {
  private readonly listening: Disposable;
  private readonly waiting: Disposable;

  constructor(
    private readonly outputs: OutputFolder,
    private readonly running: RunningCommands,
    private readonly window: RetentionWindow,
  ) {
    this.listening = window.gateway.surfaces.onDidChangeSessions(
      (sessionIds) => void this.guarded(() => this.forgetErased(sessionIds)),
    );
    this.waiting = toDisposable(
      window.clock.after(
        delayMs,
        () => void this.guarded(() => this.forgetUnknown()).then(() => this.guarded(() => this.tidy())),
      ),
    );
  }

  dispose(): void {
    this.listening.dispose();
    this.waiting.dispose();
  }

  private async tidy(): Promise<void> {
    const removed = await this.outputs.tidy((file) => this.running.isWriting(file));
    if (removed > 0) this.window.log.info(`${removed} old outputs of commands were removed.`);
  }

  /** A session that the store no longer has was erased. Removes nothing when the store cannot be read. */
  private async forgetErased(sessionIds: readonly string[]): Promise<void> {
    const { outputs } = this;
    const { store } = this.window.history;
    const kept = new Set(await outputs.conversations());
    for (const sessionId of sessionIds) {
      if (kept.has(sessionId) && (await store.getSession(sessionId)) === null) await outputs.forget(sessionId);
    }
  }

  /** Removes outputs of sessions that were erased while this window did not notice: by another folder's window, or
   *  before a crash. If the store knows none of the sessions, it may not be their store (a lost one that started
   *  again); their outputs then stay until they are old. */
  private async forgetUnknown(): Promise<void> {
    const { outputs } = this;
    const { history, log } = this.window;
    const unknown: string[] = [];
    let known = 0;
    // A session of another program may have a name that no folder can have.
    for (const name of (await outputs.conversations()).filter((each) => ownSessionId.test(each))) {
      if ((await history.store.getSession(name)) === null) unknown.push(name);
      else known++;
    }
    if (known === 0) return;
    for (const name of unknown) await outputs.forget(name);
    if (unknown.length > 0) log.info(`Outputs of commands of ${unknown.length} erased sessions were removed.`);
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.window.log.warn(`Outputs of commands could not be tidied: ${describeError(error).sentence}`);
    }
  }
}
