import { signal, type ReadonlySignal } from '@preact/signals';
import type { LaterCode } from '../../connection/laterCode';
import type * as parts from '../later';

const loaded = signal<typeof parts | null>(null);
let loading: Promise<void> | null = null;

/** Components shown only after an action of the user or an agent. Loaded after the first paint, which they would
 *  delay. Null until loaded. */
export const laterParts: ReadonlySignal<typeof parts | null> = loaded;

/** Loads them once. After a failure the next call retries. */
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

/** The same, for code outside of the components. */
export const laterCode: LaterCode<typeof parts> = { parts: laterParts, load: loadLater };
