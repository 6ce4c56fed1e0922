import { toDisposable, type Disposable } from '../../base/disposable';

/** A place in the core that one feature fills. */
export class Slot<T> {
  private part: T | null = null;

  /** Null: no feature fills it. */
  get current(): T | null {
    return this.part;
  }

  fill(part: T): Disposable {
    if (this.part !== null) throw new Error('Two features fill the same place.');
    this.part = part;
    return toDisposable(() => (this.part = null));
  }
}

/** Functions of features that the core calls together. */
export class Hooks<A extends readonly unknown[], R> {
  private readonly hooks = new Set<(...args: A) => R>();

  add(hook: (...args: A) => R): Disposable {
    this.hooks.add(hook);
    return toDisposable(() => this.hooks.delete(hook));
  }

  /** One result for each function, in the order in which they were added. */
  run(...args: A): R[] {
    return [...this.hooks].map((hook) => hook(...args));
  }
}
