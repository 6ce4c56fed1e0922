import type { Agent } from '../../agent/agent';
import type { MemoryManager, SessionChange, SessionName } from '../../memory/memoryManager';

/** An agent with its memory, sitting at the surface it serves (decision 5). The agent is kept from turn to turn while what it was made from
 *  (model, settings, folders: its signature) stays the same; the memory stays for the life of the seat. History is read for every turn, so
 *  there is nothing in a kept agent that could be behind the store. */
export class SurfaceAgent {
  private cached: { readonly signature: string; readonly agent: Agent } | null = null;
  private turns = 0;
  private ended = false;
  /** The person began a new session while a turn ran here: memory hears the end of this one behind that turn. */
  endsWhenSettled = false;

  constructor(readonly memory: MemoryManager) {}

  get sessionId(): string | null {
    return this.memory.currentSession;
  }

  /** A turn is running here: the seat stays with its session until it has settled. */
  get isBusy(): boolean {
    return this.turns > 0;
  }

  /** Memory was told that the session is over: the seat may go to another one, but serves this one no more. */
  get hasEnded(): boolean {
    return this.ended;
  }

  agentFor(signature: string, create: () => Agent): Agent {
    if (this.cached?.signature !== signature) this.cached = { signature, agent: create() };
    return this.cached.agent;
  }

  /** Begins to serve a session: the first one, another one than before, or the same one cut back (`rewind`). */
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
