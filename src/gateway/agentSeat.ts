import type { Agent } from '../agent/agent';
import type { MemoryManager, SessionChange } from '../memory/memoryManager';

/** An agent with its memory, sitting at the surface it serves (decision 5). The agent is kept from turn to turn while what it was made from
 *  (model, settings, folders: its signature) stays the same; the memory stays for the life of the seat. */
export class AgentSeat {
  private cached: { readonly signature: string; readonly agent: Agent } | null = null;
  private turns = 0;

  constructor(readonly memory: MemoryManager) {}

  get sessionId(): string | null {
    return this.memory.currentSession;
  }

  /** A turn is running here: the seat stays with its session until it has settled. */
  get isBusy(): boolean {
    return this.turns > 0;
  }

  agentFor(signature: string, create: () => Agent): Agent {
    if (this.cached?.signature !== signature) this.cached = { signature, agent: create() };
    return this.cached.agent;
  }

  /** Begins to serve a session: the first one, or another one than before. */
  serve(sessionId: string, change: Omit<SessionChange, 'from' | 'to'>): void {
    const from = this.memory.currentSession;
    if (from === null) this.memory.initialize(sessionId);
    else if (from !== sessionId) this.memory.switchSession({ ...change, from, to: sessionId });
  }

  turnBegan(): void {
    this.turns++;
  }

  turnEnded(): void {
    this.turns--;
  }
}
