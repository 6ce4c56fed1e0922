import type { Clock } from '../../../src/base/clock';
import type { CompletedTurn, MemoryProvider, SessionSwitch } from '../../../src/memory/memoryProvider';
import type { SessionDb } from '../../../src/store/session/sessionDb';

/** How memory behaves from now on. */
export interface MemoryManners {
  ms: number;
  fails: boolean;
}

/** A memory provider that is as slow and as broken as it is told to be, and checks what it hears (I14): the end of a session before the
 *  switch away from it before writes of the next, only completed turns, each once, under the session it serves. */
export class MemoryRecorder implements MemoryProvider {
  readonly name = 'witness';
  private sessionId: string | null = null;
  private ended: string | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly manners: MemoryManners,
    private readonly db: () => SessionDb,
    /** Turns any instance has heard of, over all lives. */
    private readonly synced: Set<string>,
    private readonly broken: (what: string) => void,
  ) {}

  async initialize(sessionId: string): Promise<void> {
    if (this.sessionId !== null) this.broken(`I14: memory of ${this.sessionId} begins again with ${sessionId}`);
    this.sessionId = sessionId;
    await this.work();
  }

  async syncTurn({ turnUid, sessionId, prompt }: CompletedTurn): Promise<void> {
    const turn = this.db().getTurn(turnUid);
    if (turn?.state !== 'settled' || turn.outcome !== 'complete')
      this.broken(`I14: memory hears of turn ${turnUid}, which is not complete`);
    if (sessionId !== this.sessionId)
      this.broken(`I14: memory that serves ${this.sessionId ?? 'nothing'} hears of a turn of ${sessionId}`);
    if (this.synced.has(turnUid)) this.broken(`I14: memory hears of turn ${turnUid} ("${prompt}") twice`);
    this.synced.add(turnUid);
    await this.work();
  }

  async onSessionEnd(sessionId: string): Promise<void> {
    if (sessionId !== this.sessionId)
      this.broken(`I14: memory that serves ${this.sessionId ?? 'nothing'} hears of the end of ${sessionId}`);
    if (sessionId === this.ended) this.broken(`I14: memory hears twice of the end of ${sessionId}`);
    this.ended = sessionId;
    await this.work();
  }

  async onSessionSwitch(newSessionId: string, { reset, rewound, previousSessionId }: SessionSwitch): Promise<void> {
    if (reset && this.ended !== this.sessionId)
      this.broken(`I14: memory goes from ${this.sessionId ?? 'nothing'} to ${newSessionId} without its end`);
    if (previousSessionId !== this.sessionId)
      this.broken(`I14: memory that serves ${this.sessionId ?? 'nothing'} hears that ${previousSessionId} was left`);
    if (!rewound) this.ended = null;
    this.sessionId = newSessionId;
    await this.work();
  }

  private async work(): Promise<void> {
    const { ms, fails } = this.manners;
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
    if (fails) throw new Error('memory is broken');
  }
}
