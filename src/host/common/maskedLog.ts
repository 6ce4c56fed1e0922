import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';

/** Maximum time in milliseconds that lines wait for the rules. By that time, a window is activated. */
const timeoutMs = 1000;
/** Maximum number of lines that wait. Beyond that, the rules are loaded at once. */
const mostWaiting = 200;

interface MaskedLogDeps {
  readonly clock: Pick<Clock, 'after'>;
  /** True when `mask` has its rules. */
  readonly isReady: () => boolean;
  /** Removes secrets from a line. Loads the rules if needed. */
  readonly mask: (line: string) => string;
}

/** Masks secrets in log lines. Queues lines, in order, until the rules can be loaded without delaying the start of
 *  the window. Writes an error at once, with every line before it. */
export class MaskedLog implements Log, Disposable {
  private readonly waiting: (() => void)[] = [];
  private stopWaiting: (() => void) | null = null;
  private isDisposed = false;
  private isFlushing = false;

  constructor(
    private readonly target: Log,
    private readonly deps: MaskedLogDeps,
  ) {}

  trace(message: string): void {
    this.add(() => this.target.trace(this.deps.mask(message)));
  }

  info(message: string): void {
    this.add(() => this.target.info(this.deps.mask(message)));
  }

  warn(message: string): void {
    this.add(() => this.target.warn(this.deps.mask(message)));
  }

  error(message: string, error?: unknown): void {
    const line = error === undefined ? message : `${message}: ${describe(error)}`;
    this.add(() => this.target.error(this.deps.mask(line)));
    this.flush();
  }

  /** Writes the queued lines. After this, no line is queued. */
  dispose(): void {
    this.isDisposed = true;
    this.flush();
  }

  private add(write: () => void): void {
    if (this.waiting.length === 0 && !this.isFlushing && (this.isDisposed || this.deps.isReady())) return write();
    this.waiting.push(write);
    if (this.waiting.length > mostWaiting) this.flush();
    else if (!this.isFlushing) this.stopWaiting ??= this.deps.clock.after(timeoutMs, () => this.flush());
  }

  private flush(): void {
    // A line added during the flush (for example, that the rules cannot be loaded) is written after the others.
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
