/** Something that must be disposed exactly once. */
export interface Disposable {
  dispose(): void;
}

/** Owns disposables and disposes them together, last registered first. Registering on a disposed store disposes at
 *  once. */
export class DisposableStore implements Disposable {
  private readonly owned: Disposable[] = [];
  private disposed = false;

  register<T extends Disposable>(disposable: T): T {
    if (this.disposed) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  get isDisposed(): boolean {
    return this.disposed;
  }

  dispose(): void {
    this.disposed = true;
    for (let next = this.owned.pop(); next !== undefined; next = this.owned.pop()) next.dispose();
  }
}

/** A part that ends what it owns together with itself. */
export abstract class Owner implements Disposable {
  protected readonly lifetime = new DisposableStore();

  dispose(): void {
    this.lifetime.dispose();
  }
}

export function toDisposable(dispose: () => void): Disposable {
  let live = true;
  return {
    dispose: () => {
      if (!live) return;
      live = false;
      dispose();
    },
  };
}

/** Listeners of one kind of event. A listener added or removed while an event fires takes effect with the next
 *  event. */
export class Emitter<T> implements Disposable {
  private listeners: readonly ((value: T) => void)[] = [];

  readonly event = (listener: (value: T) => void): Disposable => {
    this.listeners = [...this.listeners, listener];
    return toDisposable(() => {
      this.listeners = this.listeners.filter((other) => other !== listener);
    });
  };

  fire(value: T): void {
    for (const listener of this.listeners) listener(value);
  }

  dispose(): void {
    this.listeners = [];
  }
}
