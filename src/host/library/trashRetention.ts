import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { SessionStore } from '../../store/session/sessionStore';
import { describeError } from '../common/describeError';

const daySeconds = 86_400;
/** Milliseconds. Erasing rewrites the file, so it waits until the window has started. */
const delayMs = 20_000;

interface TrashDeps {
  readonly sessions: Pick<SessionStore, 'pruneTrash'>;
  readonly gateway: GatewayPart<'turns', 'running' | 'onDidChangeRunning'>;
  /** Days that a session stays in the trash. 0: until the user forgets it. */
  readonly days: () => number;
  readonly clock: Clock;
  readonly log: Log;
  /** Erases sessions from backups and exported files. Never rejects: resolves to sentences about what is left. */
  readonly forgetCopies: (sessionIds: readonly string[]) => Promise<readonly string[]>;
  /** Called when sessions were erased: lists must be read again. */
  readonly onErased: () => void;
}

/** Erases sessions that were in the trash for too long. Runs once, some time after the store has opened, and not
 *  during an answer. */
export class TrashRetention implements Disposable {
  private readonly lifetime = new DisposableStore();
  private cancelWait: (() => void) | null = null;
  private isDue = false;

  constructor(private readonly deps: TrashDeps) {
    this.lifetime.register(deps.gateway.turns.onDidChangeRunning(() => void this.prune()));
  }

  /** Called when the store has opened. */
  opened(): void {
    this.cancelWait?.();
    this.cancelWait = this.deps.clock.after(delayMs, () => {
      this.isDue = true;
      void this.prune();
    });
  }

  dispose(): void {
    this.cancelWait?.();
    this.lifetime.dispose();
  }

  private async prune(): Promise<void> {
    const { sessions, gateway, clock, days, log, forgetCopies, onErased } = this.deps;
    if (!this.isDue || this.lifetime.isDisposed || gateway.turns.running().length > 0) return;
    this.isDue = false;
    if (days() === 0) return;
    try {
      const { sessionIds } = await sessions.pruneTrash(clock.now() - days() * daySeconds);
      if (sessionIds.length === 0) return;
      log.info(`${sessionIds.length} sessions were in the trash for more than ${days()} days and are erased.`);
      onErased();
      for (const sentence of await forgetCopies(sessionIds)) log.warn(sentence);
    } catch (error) {
      log.warn(`The trash could not be emptied of what is old: ${describeError(error).sentence}`);
    }
  }
}
