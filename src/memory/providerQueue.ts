import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { errorMessage } from '../base/errorMessage';
import { withoutSecrets } from '../models/secrecy/secrecy';
import type { MemoryProvider } from './memoryProvider';

/** Milliseconds: the time limit of one call, and the wait after its abort. When the window closes the second one is
 *  short, because the calls after it must still be handed over. */
const callLimits = { timeoutMs: 300_000, graceMs: 5000, closingGraceMs: 200 } as const;

/** A provider, and where it comes from: the product itself or another extension. */
export interface MadeProvider {
  readonly provider: MemoryProvider;
  readonly kind: 'builtin' | 'external';
}

type Call<T> = (provider: MemoryProvider, signal: AbortSignal) => Promise<T> | undefined;

/** One provider with its queue. Calls run one after another, each guarded, so that a faulty provider affects only
 *  its own queue. A call that does not return is aborted, then abandoned, so that later calls still run. */
export class ProviderQueue {
  private tail: Promise<unknown> = Promise.resolve();
  /** Resolves when the provider has been notified of the session that it serves now. */
  private notified: Promise<unknown> = Promise.resolve();
  private readonly running = new Set<ProviderCall>();
  /** True when time is up: later calls get an aborted signal. */
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

  /** Queues a call. Resolves with its result, or with null when it failed, was abandoned or has no method to call.
   *  Never rejects. */
  add<T>(hook: string, call: Call<T>): Promise<T | null> {
    const result = this.tail.then(() => this.guarded(hook, call));
    this.tail = result;
    return result;
  }

  /** Queues a call that notifies the provider of its session. */
  notify(hook: string, call: Call<void>): void {
    this.notified = this.add(hook, call);
  }

  /** Resolves when every queued call so far has been tried. */
  async idle(): Promise<void> {
    await this.tail;
  }

  /** Resolves when the provider knows its session. */
  async ready(): Promise<void> {
    await this.notified;
  }

  /** Called when time is up: aborts the running calls, and all later ones. */
  abort(): void {
    this.closed = true;
    for (const call of this.running) call.giveUp('The window is closing.', callLimits.closingGraceMs);
  }

  /** Calls at once, not through the queue. */
  async guarded<T>(hook: string, call: Call<T>): Promise<T | null> {
    const running = new ProviderCall(this.parts.clock);
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

  /** Runs a synchronous query. Returns `otherwise` when it throws. */
  ask<T>(hook: string, question: (provider: MemoryProvider) => T, otherwise: T): T {
    try {
      return question(this.made.provider);
    } catch (error) {
      this.warn(hook, error);
      return otherwise;
    }
  }

  warn(hook: string, error: unknown): void {
    const reason = errorMessage(error);
    this.parts.log.warn(`Memory provider ${this.name}: ${hook} failed: ${withoutSecrets(reason, null)}`);
  }
}

/** A call that has not returned yet. */
class ProviderCall {
  private readonly controller = new AbortController();
  private cancel: () => void;
  private abandon: (error: Error) => void = () => undefined;
  /** Rejects when the call has neither returned in time nor reacted to its abort. */
  readonly abandoned = new Promise<never>((_resolve, reject) => {
    this.abandon = reject;
  });

  constructor(private readonly clock: Clock) {
    this.cancel = clock.after(callLimits.timeoutMs, () => this.giveUp('It took too long.', callLimits.graceMs));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts the call, and abandons it when it has not returned after `graceMs` milliseconds. */
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
