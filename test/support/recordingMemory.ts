import type { CompletedTurn, MemoryProvider, SessionSwitch } from '../../src/memory/memoryProvider';

/** A memory provider that writes down what it hears, one line each. `log` may be shared by the instances of several agents. */
export class RecordingMemory implements MemoryProvider {
  readonly name = 'recording';

  constructor(private readonly log: string[]) {}

  async initialize(sessionId: string): Promise<void> {
    this.log.push(`initialize ${sessionId}`);
  }

  async syncTurn(turn: CompletedTurn): Promise<void> {
    this.log.push(`sync ${turn.sessionId}: ${turn.prompt} -> ${turn.answer}`);
  }

  async onSessionEnd(sessionId: string): Promise<void> {
    this.log.push(`end ${sessionId}`);
  }

  async onSessionSwitch(newSessionId: string, change: SessionSwitch): Promise<void> {
    this.log.push(`switch ${newSessionId} ${change.reason}${change.reset ? ' reset' : ''}`);
  }

  async shutdown(): Promise<void> {
    this.log.push('shutdown');
  }
}
