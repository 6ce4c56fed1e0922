import type { ModelStream, StreamEvent, Terminal } from '../chatModel';

/** The append-only record of one request. The transport writes to it as fast as bytes arrive and never waits for a
 *  reader, because a web stream loses its queue when its connection breaks: measured, a reader that awaits between
 *  reads sees 3 of 300 deltas. Readers follow at their own pace. There is exactly one terminal, and nothing is
 *  appended after it. */
export class EventPump {
  private readonly log: StreamEvent[] = [];
  private ended: Terminal | null = null;
  private resolveTerminal: (terminal: Terminal) => void = () => undefined;
  private wake: () => void = () => undefined;
  private changed: Promise<void>;

  readonly stream: ModelStream;

  constructor() {
    this.changed = this.nextChange();
    this.stream = {
      events: this.log,
      hasEvent: (index) => this.hasEvent(index),
      terminal: new Promise((resolve) => {
        this.resolveTerminal = resolve;
      }),
    };
  }

  /** True when the terminal was recorded. */
  get closed(): boolean {
    return this.ended !== null;
  }

  /** Appends an event. Returns false when the request has already ended. */
  append(event: StreamEvent): boolean {
    if (this.ended !== null) return false;
    this.log.push(event);
    this.announce();
    return true;
  }

  /** Records the end of the request. Only the first call counts. */
  end(terminal: Terminal): void {
    if (this.ended !== null) return;
    this.ended = terminal;
    this.resolveTerminal(terminal);
    this.announce();
  }

  private async hasEvent(index: number): Promise<boolean> {
    while (this.log.length <= index) {
      if (this.ended !== null) return false;
      await this.changed;
    }
    return true;
  }

  private announce(): void {
    const wake = this.wake;
    this.changed = this.nextChange();
    wake();
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}
