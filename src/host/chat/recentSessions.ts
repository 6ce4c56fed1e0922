import type { Disposable } from '../../base/disposable';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { Log } from '../../base/log';
import type { SessionSummary } from '../../transcript/session';
import { describeError } from '../common/describeError';

const limit = 20;

/** Newest sessions for the empty state. Only one read runs at a time; after changes during a read, the list is read
 *  again. */
export class RecentSessions implements Disposable {
  private reading = false;
  private stale = false;
  private disposed = false;

  constructor(
    private readonly gateway: GatewayPart<'store', 'listSessions'>,
    private readonly log: Log,
    private readonly onRead: (sessions: readonly SessionSummary[]) => void,
    /** Called with the reason when a read fails, and with null when one succeeds. */
    private readonly onProblem: (reason: string | null) => void = () => undefined,
  ) {}

  async read(): Promise<readonly SessionSummary[]> {
    try {
      const sessions = await this.gateway.store.listSessions({ limit });
      this.onProblem(null);
      return sessions;
    } catch (error) {
      this.onProblem(describeError(error).sentence);
      throw error;
    }
  }

  refresh(): void {
    this.stale = true;
    if (!this.reading) void this.readUntilFresh();
  }

  dispose(): void {
    this.disposed = true;
  }

  private async readUntilFresh(): Promise<void> {
    this.reading = true;
    try {
      while (this.stale && !this.disposed) {
        this.stale = false;
        const sessions = await this.read();
        if (!this.disposed) this.onRead(sessions);
      }
    } catch (error) {
      this.log.warn(`Recent sessions could not be read: ${describeError(error).sentence}`);
    } finally {
      this.reading = false;
    }
  }
}
