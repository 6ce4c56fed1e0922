import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';

/** How long lines wait for the rules at most, in milliseconds. By then a window has been activated. */
const patienceMs = 1000;
/** Lines that wait. With more the rules are loaded at once. */
const mostWaiting = 200;

export interface MaskedLogParts {
  readonly clock: Pick<Clock, 'after'>;
  /** Whether `mask` has all it needs. */
  readonly isReady: () => boolean;
  /** Takes secrets out of a line. Loads what it needs for that. */
  readonly mask: (line: string) => string;
}

/** Masks what goes into a log. Lines wait, in their order, until the rules for that can be loaded without holding up the start of the window. An error is
 *  written at once, with everything before it. */
export class MaskedLog implements Log, Disposable {
  private readonly waiting: (() => void)[] = [];
  private stopWaiting: (() => void) | null = null;
  private isDisposed = false;
  private isFlushing = false;

  constructor(
    private readonly target: Log,
    private readonly parts: MaskedLogParts,
  ) {}

  trace(message: string): void {
    this.add(() => this.target.trace(this.parts.mask(message)));
  }

  info(message: string): void {
    this.add(() => this.target.info(this.parts.mask(message)));
  }

  warn(message: string): void {
    this.add(() => this.target.warn(this.parts.mask(message)));
  }

  error(message: string, error?: unknown): void {
    const line = error === undefined ? message : `${message}: ${describe(error)}`;
    this.add(() => this.target.error(this.parts.mask(line)));
    this.flush();
  }

  /** Writes what waits. From now on no line waits. */
  dispose(): void {
    this.isDisposed = true;
    this.flush();
  }

  private add(write: () => void): void {
    if (this.waiting.length === 0 && !this.isFlushing && (this.isDisposed || this.parts.isReady())) return write();
    this.waiting.push(write);
    if (this.waiting.length > mostWaiting) this.flush();
    else if (!this.isFlushing) this.stopWaiting ??= this.parts.clock.after(patienceMs, () => this.flush());
  }

  private flush(): void {
    // A line that is added while lines are written, such as that the rules cannot be loaded, is written after them.
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.stopWaiting?.();
    this.stopWaiting = null;
    try {
      for (let write = this.waiting.shift(); write !== undefined; write = this.waiting.shift()) write();
    } finally {
      this.isFlushing = false;
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
