/** Why a running turn is asked to stop; the reason given to its `AbortController`. */
export class TurnStop extends Error {
  override readonly name = 'TurnStop';
  constructor(readonly reason: 'user' | 'newPrompt' | 'windowClosed' | 'storeFailed') {
    super(`The turn was stopped (${reason}).`);
  }
}

/** The reason of an aborted signal; a foreign abort counts as the person's. */
export function stopReasonOf(signal: AbortSignal): TurnStop['reason'] {
  return signal.reason instanceof TurnStop ? signal.reason.reason : 'user';
}
