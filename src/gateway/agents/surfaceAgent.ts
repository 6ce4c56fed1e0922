import type { TurnAgent } from '../../agent/agent';
import type { MemoryManager, SessionChange, SessionName } from '../../memory/memoryManager';

/** An agent with its memory, serving one surface (decision 5). The agent is cached from turn to turn while its
 *  signature (model, settings, folders) stays the same. The memory lives as long as this object. Every turn reads
 *  the history again, so a cached agent can never hold outdated history. */
export class SurfaceAgent {
  private cached: { readonly signature: string; readonly agent: TurnAgent } | null = null;
  private turns = 0;
  private ended = false;
  /** True when the user began a new session while a turn ran here: memory is notified of this session's end after
   *  that turn. */
  endsWhenSettled = false;
  /** Name of the custom agent of the last turn. Null: the usual agent. */
  custom: string | null = null;

  constructor(readonly memory: MemoryManager) {}

  get sessionId(): string | null {
    return this.memory.currentSession;
  }

  /** True while a turn runs here. The agent stays with its session until the turn has settled. */
  get isBusy(): boolean {
    return this.turns > 0;
  }

  /** True when memory was notified that the session is over. The agent may then serve another session, but not this
   *  one. */
  get hasEnded(): boolean {
    return this.ended;
  }

  agentFor(signature: string, create: () => TurnAgent): TurnAgent {
    if (this.cached?.signature !== signature) this.cached = { signature, agent: create() };
    return this.cached.agent;
  }

  /** Starts serving a session: the first one, a different one, or the same one after a rewind (`rewind`). */
  serve(sessionId: SessionName, change: Omit<SessionChange, 'to'>): void {
    if (!sessionId) return;
    const from = this.memory.currentSession;
    if (from !== sessionId) this.ended = false;
    if (from === null) this.memory.initialize(sessionId, change.parentSessionId);
    else if (from !== sessionId) this.memory.switchSession({ ...change, to: sessionId });
    if (change.reason === 'rewind') this.memory.switchSession({ ...change, to: sessionId });
  }

  endSession(): void {
    this.ended = true;
    this.endsWhenSettled = false;
    this.memory.endSession();
  }

  turnBegan(): void {
    this.turns++;
  }

  turnEnded(): void {
    this.turns--;
  }
}
