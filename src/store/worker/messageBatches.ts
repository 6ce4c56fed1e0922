/** Receives all messages that have arrived at a port together. Their callbacks run after the last of them, in the
 *  same turn of the event loop: for a single request, one more turn would cost a fifth of its round trip between the
 *  threads. */
export class MessageBatches<T> {
  private receiving = false;
  private due: readonly (() => void)[] = [];

  constructor(
    /** Takes the next arrived message from the port. */
    private readonly next: () => T | undefined,
    /** Runs a callback in a later turn of the event loop, after messages were received. */
    private readonly later: (callback: () => void) => void,
  ) {}

  /** Receives this message and every other one that has already arrived. */
  receive(first: T, take: (message: T) => void): void {
    this.receiving = true;
    for (let message: T | undefined = first; message !== undefined; message = this.next()) take(message);
    this.receiving = false;
    const { due } = this;
    this.due = [];
    for (const callback of due) callback();
  }

  /** Runs a callback after all messages that have already arrived were received. */
  readonly soon = (callback: () => void): void => {
    if (this.receiving) this.due = [...this.due, callback];
    else this.later(callback);
  };
}
