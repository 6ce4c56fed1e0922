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
