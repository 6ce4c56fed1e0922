import { type Disposable, toDisposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { errorMessage } from '../../../base/errorMessage';
import { withoutSecrets } from '../../../models/secrecy/secrecy';
import { ApiError } from './hermesError';

/** Listeners of other extensions for one kind of event. A failing listener affects nothing else. Only the first
 *  failure of each listener is logged, because one answer can be a thousand events. */
export class ApiListeners<T> implements Disposable {
  private readonly listeners = new Map<symbol, (event: T) => unknown>();
  private readonly failed = new Set<symbol>();
  private isClosed = false;

  constructor(
    private readonly name: string,
    private readonly log: Log,
  ) {}

  get isEmpty(): boolean {
    return this.listeners.size === 0;
  }

  readonly event = (listener: (event: T) => unknown): Disposable => {
    if (typeof listener !== 'function')
      throw new ApiError('invalid', `${this.name} takes a function that is called for every event.`);
    const key = Symbol(this.name);
    if (!this.isClosed) this.listeners.set(key, listener);
    return toDisposable(() => this.listeners.delete(key));
  };

  fire(event: T): void {
    for (const [key, listener] of [...this.listeners]) void this.call(key, listener, event);
  }

  dispose(): void {
    this.isClosed = true;
    this.listeners.clear();
  }

  private async call(key: symbol, listener: (event: T) => unknown, event: T): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      if (this.failed.has(key)) return;
      this.failed.add(key);
      this.log.warn(
        `A listener of another extension for ${this.name} failed: ${withoutSecrets(errorMessage(error), null)}`,
      );
    }
  }
}
