import { signal, type ReadonlySignal } from '@preact/signals';
import type { ViewMemory } from './viewMemory';

/** What is unfolded in the session that is shown; remembered by the view. */
export class Folds {
  private readonly unfolded;

  constructor(
    recalled: readonly string[],
    private readonly remember: (change: Partial<ViewMemory>) => void,
  ) {
    this.unfolded = signal<ReadonlySet<string>>(new Set(recalled));
  }

  get open(): ReadonlySignal<ReadonlySet<string>> {
    return this.unfolded;
  }

  toggle(key: string): void {
    const folds = new Set(this.unfolded.peek());
    if (!folds.delete(key)) folds.add(key);
    this.unfolded.value = folds;
    this.remember({ openFolds: [...folds] });
  }

  /** Another session is shown: what was remembered of the one before, its place included, says nothing of it. */
  forget(sessionId: string | null): void {
    this.unfolded.value = new Set();
    this.remember({ sessionId, openFolds: [], anchor: null });
  }
}
