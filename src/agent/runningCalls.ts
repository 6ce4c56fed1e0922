/** The reason why a running turn is asked to stop, passed to its `AbortController`. */
export class TurnStop extends Error {
  override readonly name = 'TurnStop';
  constructor(readonly reason: 'user' | 'newPrompt' | 'windowClosed' | 'storeFailed') {
    super(`The turn was stopped (${reason}).`);
  }
}

/** Returns the reason of an aborted signal. An abort without a `TurnStop` counts as the user's. */
export function stopReasonOf(signal: AbortSignal): TurnStop['reason'] {
  return signal.reason instanceof TurnStop ? signal.reason.reason : 'user';
} /** The abort reason for ending a single call while its turn continues. */
export class CallStop extends Error {
  override readonly name = 'CallStop';
  constructor() {
    super('The person stopped this call.');
  }
}

/** A running call. */
export interface RunningCall {
  /** Aborted with the turn's reason when the turn is stopped, or with a `CallStop`. */
  readonly signal: AbortSignal;
  readonly proceed: AbortSignal;
  done(): void;
}

/** The running calls of one turn, by id. The user may end one of them, or let the turn continue without waiting for
 *  it. */
export class RunningCalls {
  private readonly running = new Map<string, { readonly stop: AbortController; readonly proceed: AbortController }>();

  begin(callId: string, turn: AbortSignal): RunningCall {
    const entry = { stop: new AbortController(), proceed: new AbortController() };
    this.running.set(callId, entry);
    return {
      signal: AbortSignal.any([turn, entry.stop.signal]),
      proceed: entry.proceed.signal,
      done: () => {
        if (this.running.get(callId) === entry) this.running.delete(callId);
      },
    };
  }

  stop(callId: string): void {
    this.running.get(callId)?.stop.abort(new CallStop());
  }

  proceed(callId: string): void {
    this.running.get(callId)?.proceed.abort();
  }
}
