import { signal, type ReadonlySignal } from '@preact/signals';
import type { ViewMemory } from '../connection/viewMemory';

/** What a long prompt is unfolded by. */
export function promptFold(uid: string): string {
  return `prompt:${uid}`;
}

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

  /** Opens what is still folded. */
  unfold(keys: readonly string[]): void {
    for (const key of keys) if (!this.unfolded.peek().has(key)) this.toggle(key);
  }

  /** Another session is shown, with what was unfolded when it was left. What was remembered of the one before, its place included, says nothing
   *  of it. */
  arrive(sessionId: string | null, openFolds: readonly string[]): void {
    this.unfolded.value = new Set(openFolds);
    this.remember({ sessionId, openFolds: [...openFolds], anchor: null });
  }
}
