import type { WorkProgress } from './slicedWork';

/** read: stores nothing · write: stores something that the user said or decided · maintenance: stores something that a
 *  window decides alone. `long`: can be stopped and reports progress. */
type Effect = 'read' | 'write' | 'maintenance' | 'long read' | 'long write';

/** A method of the store: its effect, and its signature as a type. */
interface StoreMethod<F, E extends Effect> {
  readonly effect: E;
  /** Never set. */
  readonly signature?: F;
}

type Synchronous = (...args: never) => unknown;
const method =
  <E extends Effect>(effect: E) =>
  <F extends Synchronous>(): StoreMethod<F, E> => ({ effect });

export const read = method('read');
export const write = method('write');
export const maintenance = method('maintenance');
export const longRead = method('long read');
export const longWrite = method('long write');

/** Optional arguments of long work: a signal to stop it, and a callback for its progress. */
export type WorkOptions = readonly [signal?: AbortSignal, onProgress?: (progress: WorkProgress) => void];

/** The methods of a table, synchronous. */
export type Operations<T> = { readonly [M in keyof T]: T[M] extends StoreMethod<infer F, Effect> ? F : never };

/** The same through a thread. Long ones take `WorkOptions` after their arguments. */
export type PromisedOperations<T> = {
  readonly [M in keyof T]: T[M] extends StoreMethod<infer F, infer E>
    ? F extends (...args: infer A) => infer R
      ? (...args: E extends `long ${string}` ? [...A, ...WorkOptions] : A) => Promise<R>
      : never
    : never;
};
