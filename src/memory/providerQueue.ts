import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { withoutSecrets } from '../models/secrecy/secrecy';
import type { MadeProvider } from './memoryProviders';
import type { MemoryProvider } from './memoryProvider';

/** How long one call may take before it is told to stop, and how long it is waited for after that, in milliseconds. When the window closes
 *  the second is short: the calls behind it must still be handed over. */
export const callLimits = { patienceMs: 300_000, graceMs: 5000, closingGraceMs: 200 } as const;

type Call<T> = (provider: MemoryProvider, signal: AbortSignal) => Promise<T> | undefined;

/** One provider with its queue: calls come one after the other, each guarded, so that whatever the provider does stays in its lane. A call
 *  that does not come back is aborted, then left alone: work behind it is not lost to it. */
export class ProviderQueue {
  private tail: Promise<unknown> = Promise.resolve();
  /** Resolves once the provider has been told which session it serves now. */
  private told: Promise<unknown> = Promise.resolve();
  private readonly running = new Set<RunningCall>();
  /** Time is up: whatever is called from now on is told so. */
  private closed = false;

  constructor(
    private readonly made: MadeProvider,
    private readonly parts: { readonly clock: Clock; readonly log: Log },
  ) {}

  get name(): string {
    return this.made.provider.name;
  }

  get provider(): MemoryProvider {
    return this.made.provider;
  }

  get isExternal(): boolean {
    return this.made.kind === 'external';
  }

  /** Queues a call. Resolves with what it returned, or null when it failed, was given up or has nothing to call; never rejects. */
  add<T>(hook: string, call: Call<T>): Promise<T | null> {
    const result = this.tail.then(() => this.guarded(hook, call));
    this.tail = result;
    return result;
  }

  /** Queues a call that tells the provider of its session. */
  tell(hook: string, call: Call<void>): void {
    this.told = this.add(hook, call);
  }

  /** Everything queued so far has been tried. */
  async idle(): Promise<void> {
    await this.tail;
  }

  /** The provider knows its session. */
  async ready(): Promise<void> {
    await this.told;
  }

  /** Time is up: the call under way is told so, and so are all that come. */
  abort(): void {
    this.closed = true;
    for (const call of this.running) call.giveUp('The window is closing.', callLimits.closingGraceMs);
  }

  /** Calls at once, beside the queue. */
  async guarded<T>(hook: string, call: Call<T>): Promise<T | null> {
    const running = new RunningCall(this.parts.clock);
    this.running.add(running);
    if (this.closed) running.giveUp('The window is closing.', callLimits.closingGraceMs);
    try {
      return (await Promise.race([call(this.made.provider, running.signal), running.abandoned])) ?? null;
    } catch (error) {
      this.warn(hook, error);
      return null;
    } finally {
      running.end();
      this.running.delete(running);
    }
  }

  /** A question that is answered at once. */
  ask<T>(hook: string, question: (provider: MemoryProvider) => T, otherwise: T): T {
    try {
      return question(this.made.provider);
    } catch (error) {
      this.warn(hook, error);
      return otherwise;
    }
  }

  warn(hook: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.parts.log.warn(`Memory provider ${this.name}: ${hook} failed: ${withoutSecrets(reason, null)}`);
  }
}

/** A call while it has not returned. */
class RunningCall {
  private readonly controller = new AbortController();
  private cancel: () => void;
  private abandon: (error: Error) => void = () => undefined;
  /** Rejects when the call has neither come back in time nor heeded its abort. */
  readonly abandoned = new Promise<never>((_resolve, reject) => {
    this.abandon = reject;
  });

  constructor(private readonly clock: Clock) {
    this.cancel = clock.after(callLimits.patienceMs, () => this.giveUp('It took too long.', callLimits.graceMs));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts it, and leaves it alone when it has not returned `graceMs` later. */
  giveUp(reason: string, graceMs: number): void {
    this.end();
    this.cancel = this.clock.after(graceMs, () =>
      this.abandon(new Error(`${reason} It did not stop when it was asked to, and is left alone.`)),
    );
    this.controller.abort(new Error(reason));
  }

  end(): void {
    this.cancel();
  }
}
