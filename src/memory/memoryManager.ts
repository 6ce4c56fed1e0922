import type { Log } from '../base/log';
import type { CompletedTurn, MemoryProvider } from './memoryProvider';
import type { SwitchReason } from './switchReason';

export interface SessionChange {
  readonly from: string;
  readonly to: string;
  readonly reason: SwitchReason;
  /** Parent of the new session, where it has one. */
  readonly parentSessionId: string | null;
}

/** Fans what happens to one agent out to its memory providers. One serial queue keeps the order that memory depends on: the end of the old
 *  session, then the switch, then writes of the new one. Providers run in isolation: one that fails or hangs is logged by name and touches
 *  neither the others nor the turn, which never waits for this. */
export class MemoryManager {
  private readonly lanes: ReadonlyMap<MemoryProvider, Lane>;
  private readonly stop = new AbortController();
  private sessionId: string | null = null;

  constructor(
    providers: readonly MemoryProvider[],
    private readonly log: Log,
  ) {
    this.lanes = new Map(providers.map((provider) => [provider, new Lane()]));
  }

  get currentSession(): string | null {
    return this.sessionId;
  }

  initialize(sessionId: string): void {
    if (sessionId === '') return;
    this.sessionId = sessionId;
    this.fanOut('initialize', (provider, signal) => provider.initialize(sessionId, signal, { parentSessionId: null }));
  }

  /** The session this agent serves is another one from now on. */
  switchSession(change: SessionChange): void {
    if (change.to === '' || change.to === this.sessionId) return;
    this.sessionId = change.to;
    const isNewConversation = change.reason === 'new_session' || change.reason === 'reset';
    this.fanOut('onSessionSwitch', async (provider, signal) => {
      if (isNewConversation) await this.guarded(provider, 'onSessionEnd', () => provider.onSessionEnd?.(change.from, signal));
      const { parentSessionId, reason } = change;
      await provider.onSessionSwitch?.(change.to, { parentSessionId, reset: isNewConversation, rewound: false, reason }, signal);
    });
  }

  syncTurn(turn: CompletedTurn): void {
    if (turn.sessionId === '' || turn.prompt.trim() === '' || turn.answer.trim() === '') return;
    this.fanOut('syncTurn', (provider, signal) => provider.syncTurn(turn, signal));
  }

  /** Resolves when everything queued so far has been tried. */
  async drain(): Promise<void> {
    await Promise.all([...this.lanes.values()].map((lane) => lane.idle()));
  }

  /** Lets queued work finish for at most `graceMs` (real time is the caller's: it gives the timer), then shuts the providers down. */
  async shutdown(grace: Promise<void>): Promise<void> {
    await Promise.race([this.drain(), grace]);
    this.fanOut('shutdown', async (provider, signal) => provider.shutdown?.(signal));
    await Promise.race([this.drain(), grace]);
    this.stop.abort();
  }

  private fanOut(hook: string, call: (provider: MemoryProvider, signal: AbortSignal) => Promise<void>): void {
    for (const [provider, lane] of this.lanes) {
      lane.add(() => this.guarded(provider, hook, () => call(provider, this.stop.signal)));
    }
  }

  private async guarded(provider: MemoryProvider, hook: string, call: () => Promise<void> | undefined): Promise<void> {
    try {
      await call();
    } catch (error) {
      this.log.warn(`Memory provider ${provider.name}: ${hook} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Work of one provider, one after the other. */
class Lane {
  private tail: Promise<void> = Promise.resolve();

  add(work: () => Promise<void>): void {
    this.tail = this.tail.then(work);
  }

  idle(): Promise<void> {
    return this.tail;
  }
}
