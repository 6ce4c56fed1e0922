import type { CallOptions } from '../base/threads/calls';
import { storeMethods, type SessionOperations, type SessionStore } from './sessionStore';
import type { SlicedWork } from './slicedWork';
import type { WorkOptions } from './storeMethod';

export type MethodName = keyof SessionOperations;
export type MethodArguments = { readonly [M in MethodName]: Parameters<SessionOperations[M]> };
export type MethodResults = { readonly [M in MethodName]: ReturnType<SessionOperations[M]> };
type MethodTable = { readonly [M in MethodName]: (...args: MethodArguments[M]) => MethodResults[M] };

/** True for a method that stores nothing. */
export function isRead(method: MethodName): boolean {
  return storeMethods[method].effect.endsWith('read');
}

/** True for a method that stores something that the user said or decided. */
export function isUserWrite(method: MethodName): boolean {
  return storeMethods[method].effect.endsWith('write');
}

/** One call of a store method as data. */
export type StoreRequest = {
  readonly [M in MethodName]: { readonly method: M; readonly args: MethodArguments[M] };
}[MethodName];

/** Runs one method by name, with its arguments as received over a message port. */
export function perform<M extends MethodName>(
  operations: SessionOperations,
  method: M,
  args: MethodArguments[M],
): MethodResults[M] {
  const table: MethodTable = operations;
  return table[method](...args);
}

/** Methods that can also run in slices. */
export type SlicedMethods = {
  readonly [M in MethodName]?: (...args: MethodArguments[M]) => SlicedWork<MethodResults[M]>;
};

/** Runs one method in slices; null for a method that has no slices. */
export function performInSlices<M extends MethodName>(
  slices: SlicedMethods,
  method: M,
  args: MethodArguments[M],
): SlicedWork<MethodResults[M]> | null {
  return slices[method]?.(...args) ?? null;
}

export type CallMethod = <M extends MethodName>(
  method: M,
  args: MethodArguments[M],
  options?: CallOptions,
) => Promise<MethodResults[M]>;

/** The store's methods as promises, over one function that carries a call. */
export function promisedOperations(call: CallMethod): Omit<SessionStore, 'close'> {
  const methods = Object.keys(storeMethods) as readonly MethodName[];
  const forwards = methods.map((method) => [
    method,
    storeMethods[method].effect.startsWith('long')
      ? (input: never, ...[signal, onProgress]: WorkOptions) =>
          // An aborted read has nothing to wait for. For a change, the response shows if it was made before it could be
          // stopped.
          call(method, [input], { signal, onProgress, leavesAtOnce: isRead(method) })
      : (...args: MethodArguments[MethodName]) => call(method, args),
  ]);
  return Object.fromEntries(forwards) as Omit<SessionStore, 'close'>;
}
