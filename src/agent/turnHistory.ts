import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import type { ChatModel, Terminal } from '../models/chatModel';
import type { SessionStore } from '../store/sessionStore';
import type { Message } from '../transcript/message';
import type { LiveRun } from './liveRun';
import { repairedHistory } from './repairedHistory';
import type { TurnRecorder } from './turnRecorder';

interface HistoryParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** CompressionScheduler one turn may make because its context is nearly full (hermes-agent). */
const mostPerTurn = 3;

/** The stored rows that the requests of one turn are made from. They are read anew for each, repaired, and where they fill
 *  the context made shorter first; the turn then goes on in another session. */
export class TurnHistory {
  private madeShorter = 0;
  private wasRefused = false;

  constructor(
    private readonly run: LiveRun,
    private readonly recorder: TurnRecorder,
    private readonly model: ChatModel,
    private readonly parts: HistoryParts,
  ) {}

  /** The rows for the turn's first request; whether they are short enough was looked at before the turn was opened. */
  first(): Promise<readonly Message[]> {
    return this.repaired();
  }

  /** The rows for a request behind tool results. */
  async next(): Promise<readonly Message[]> {
    const rows = await this.repaired();
    if (this.madeShorter >= mostPerTurn || !(await this.makeRoom('nearlyFull', rows))) return rows;
    this.madeShorter++;
    return this.repaired();
  }

  /** The rows to ask with once more, once in a turn, where the model refused the request as too long; null where that cannot be helped. */
  async afterRefusal(refusal: Terminal): Promise<readonly Message[] | null> {
    if (refusal.outcome !== 'failed' || refusal.failure.cause !== 'context') return null;
    // What was delivered of an answer stands in this session: the turn cannot go on in another one under it.
    if (this.wasRefused || this.recorder.isAnswering) return null;
    this.wasRefused = true;
    return (await this.makeRoom('refused', await this.repaired())) ? this.repaired() : null;
  }

  /** Rejects with the reason of a stop, which leaves everything as it was. */
  private async makeRoom(cause: 'nearlyFull' | 'refused', rows: readonly Message[]): Promise<boolean> {
    const { run, model } = this;
    const { signal } = run.controller;
    const begins = (): void => run.report({ kind: 'compressing', startedAt: this.parts.clock.now() });
    const sessionId = await run.room.make({ cause, model, rows, begins, signal });
    if (sessionId !== null) this.recorder.moveTo(sessionId);
    signal.throwIfAborted();
    run.report({ kind: 'requesting', elapsedMs: 0 });
    return sessionId !== null;
  }

  private repaired(): Promise<readonly Message[]> {
    const { turn, show } = this.run;
    return repairedHistory({ turnUid: turn.uid, sessionId: this.recorder.sessionId, show }, this.parts);
  }
}
