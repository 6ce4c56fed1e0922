import type { ReadonlySignal } from '@preact/signals';

/** Code of the second bundle, which loads after the first paint. */
export interface LaterCode<Parts> {
  /** Null until loaded. */
  readonly parts: ReadonlySignal<Parts | null>;
  /** Loads the code once. After a failure the next call retries. */
  readonly load: () => Promise<void>;
}
