import type { OpenReport, StorePlace } from './openedStore';
import type { SliceReport } from '../slicedWork';
import type { StoreErrorData } from '../storeError';
import type { MethodResults, MethodName, StoreRequest } from '../sessionMethods';

/** Messages between the extension host's thread and the store's worker, sent by structured clone. Both sides come
 *  from one build, so messages are typed and not validated. */
export type ToWorker =
  | { readonly kind: 'open'; readonly place: StorePlace }
  | { readonly kind: 'call'; readonly id: number; readonly request: StoreRequest }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'opened'; readonly report: OpenReport }
  | { readonly kind: 'openFailed'; readonly error: StoreErrorData }
  | { readonly kind: 'result'; readonly id: number; readonly value: MethodResults[MethodName] }
  | { readonly kind: 'error'; readonly id: number; readonly error: StoreErrorData }
  /** Report of a slice of a call's work. */
  | ({ readonly kind: 'slice'; readonly id: number } & SliceReport)
  /** The call was cancelled, and its changes were undone. */
  | { readonly kind: 'cancelled'; readonly id: number }
  /** No further write can succeed before the file is reopened. Sent after the response to the failed call. */
  | { readonly kind: 'broken'; readonly error: StoreErrorData }
  /** Background work that no caller requested failed: indexing or a checkpoint in an idle moment. */
  | { readonly kind: 'backgroundError'; readonly error: StoreErrorData }
  | { readonly kind: 'closed'; readonly error: StoreErrorData | null };
