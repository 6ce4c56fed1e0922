import { runWhole, type SlicedWork, type WorkProgress } from '../slicedWork';
import type { StoreParts } from './storeParts';

/** read: stores nothing · write: stores something that the user said or decided · maintenance: stores something that a
 *  window decides alone. `long`: can be stopped and reports progress. */
type Effect = 'read' | 'write' | 'maintenance' | 'long read' | 'long write';

/** How a method is run among the others. */
export interface Traits<A extends readonly unknown[]> {
  /** Turns, sessions and messages that it reads or writes; calls with a common one run in order. Default: none. */
  readonly about?: (...args: A) => readonly string[] | 'everything';
  /** The session whose rows it reads in slices: the end of its open turn has to wait, and text of it need not. */
  readonly rowsOf?: (...args: A) => string | null;
  /** True: every other call runs first. */
  readonly isBackground?: true;
  /** True: part of making a turn, and may be repeated. It is then done, or returns what was already done. */
  readonly isRetried?: true;
  /** The running turn that it writes to. Such a call is retried, and runs after the earlier ones of its turn. */
  readonly turnOf?: (...args: A) => string | null;
}

type Work<R = unknown> = (parts: StoreParts, ...args: never) => R;
type ArgumentsOf<W> = W extends (parts: StoreParts, ...args: infer A) => unknown ? A : never;

/** A method of the store: its effect, and the work it does in the store's thread. */
interface StoreMethod<W extends Work, R, E extends Effect> extends Traits<ArgumentsOf<W>> {
  readonly effect: E;
  readonly run: (parts: StoreParts, ...args: ArgumentsOf<W>) => R;
}

const method =
  <E extends Effect>(effect: E, around: <T>(parts: StoreParts, work: () => T) => T) =>
  <W extends Work>(work: W, traits: Traits<ArgumentsOf<W>> = {}): StoreMethod<W, ReturnType<W>, E> => ({
    effect,
    ...traits,
    run: (parts, ...args) => around(parts, () => work(parts, ...(args as never)) as ReturnType<W>),
  });

type Sliced<W extends Work> = ReturnType<W> extends SlicedWork<infer R> ? R : never;

const sliced =
  <E extends Effect>(effect: E) =>
  <W extends Work<SlicedWork<unknown>>>(
    inSlices: W,
    traits: Traits<ArgumentsOf<W>> = {},
  ): StoreMethod<W, Sliced<W>, E> & { readonly inSlices: W } => ({
    effect,
    ...traits,
    inSlices,
    run: (parts, ...args) => runWhole(inSlices(parts, ...(args as never))) as Sliced<W>,
  });

// In one transaction
export const read = method('read', ({ transactions }, work) => transactions.read(work));
export const write = method('write', ({ transactions }, work) => transactions.write(work));
export const maintenance = method('maintenance', ({ transactions }, work) => transactions.write(work));

// With one statement, or in transactions of its own
export const lookup = method('read', (_, work) => work());
export const ownWrite = method('write', (_, work) => work());
export const ownMaintenance = method('maintenance', (_, work) => work());

// In slices, each a transaction
export const slicedRead = sliced('read');
export const slicedWrite = sliced('write');
export const slicedMaintenance = sliced('maintenance');
export const longRead = sliced('long read');
export const longWrite = sliced('long write');

/** Optional arguments of long work: a signal to stop it, and a callback for its progress. */
export type WorkOptions = readonly [signal?: AbortSignal, onProgress?: (progress: WorkProgress) => void];

/** The methods of a table, synchronous. */
export type Operations<T> = {
  readonly [M in keyof T]: T[M] extends { readonly run: (parts: StoreParts, ...args: infer A) => infer R }
    ? (...args: A) => R
    : never;
};

/** The same through a thread. Long ones take `WorkOptions` after their arguments. */
export type PromisedOperations<T> = {
  readonly [M in keyof T]: T[M] extends {
    readonly effect: infer E;
    readonly run: (parts: StoreParts, ...args: infer A) => infer R;
  }
    ? (...args: E extends `long ${string}` ? [...A, ...WorkOptions] : A) => Promise<R>
    : never;
};
