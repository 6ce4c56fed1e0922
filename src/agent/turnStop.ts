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
}
