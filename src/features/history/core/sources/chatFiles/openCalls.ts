interface OpenCall {
  readonly callId: string;
  readonly name: string;
}

interface WaitingCall extends OpenCall {
  /** True when the format gave the call no id. */
  readonly isNumbered: boolean;
}

/** Tool calls of a conversation that wait for their result. Calls without an id are paired by name and order. */
export class OpenCalls {
  private readonly waiting: WaitingCall[] = [];
  private made = 0;

  /** Returns the call's id, a new one when the format has none. */
  open(callId: string | null, name: string): string {
    const call = { callId: callId ?? `call ${++this.made}`, name, isNumbered: callId === null };
    this.waiting.push(call);
    return call.callId;
  }

  /** Returns the call that a result belongs to: the one with its id, else the earliest one with its name, else the
   *  earliest one. A result with an id takes the place of another only when that call has none. */
  close(callId: string | null, name: string | null): OpenCall {
    const mayTake = (call: WaitingCall): boolean => callId === null || call.isNumbered;
    const at = [
      this.waiting.findIndex((call) => call.callId === callId),
      this.waiting.findIndex((call) => mayTake(call) && call.name === name),
      this.waiting.findIndex((call) => mayTake(call)),
    ].find((index) => index !== -1);
    const [call] = at === undefined ? [] : this.waiting.splice(at, 1);
    return call ?? { callId: callId ?? `call ${++this.made}`, name: name ?? '' };
  }
}
