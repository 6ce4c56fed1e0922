import type { StoreErrorData } from '../../store/storeError';
import type { CheckProgress, CheckResult } from './findings/finding';

/** Start parameters of a thread, which checks one place and ends. Both sides come from one build, so messages are typed
 *  and not validated. */
export interface CheckThread {
  /** Folder of a store, or path of a database of Hermes Agent. */
  readonly place: { readonly kind: 'own' | 'hermes'; readonly path: string };
  /** Folder for private copies. */
  readonly copies: string;
  readonly sessionId?: string;
}

export type FromCheck =
  | { readonly kind: 'progress'; readonly progress: CheckProgress }
  | { readonly kind: 'done'; readonly result: CheckResult }
  | { readonly kind: 'failed'; readonly error: StoreErrorData };
