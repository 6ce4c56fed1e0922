import { signal, type ReadonlySignal } from '@preact/signals';
import type * as parts from '../later';

const loaded = signal<typeof parts | null>(null);
let loading: Promise<void> | null = null;

/** What a person sees only after doing something, or after an agent did: loaded behind the first paint, which it would hold up. Null until it
 *  is there. */
export const laterParts: ReadonlySignal<typeof parts | null> = loaded;

/** Loads them, once. After a failure the next call tries again. */
export function loadLater(): Promise<void> {
  return (loading ??= import('../later').then(
    (module) => {
      loaded.value = module;
    },
    (error: unknown) => {
      loading = null;
      throw error;
    },
  ));
}
