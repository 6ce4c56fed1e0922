import type { StoreErrorData } from '../storeError';
import type { LibraryOperations } from './library';

/** Messages between the extension host's thread and the library's. Both sides come from one build, so messages are
 *  typed and not validated. */
export type LibraryMethod = keyof LibraryOperations;

export type LibraryRequest = {
  readonly [M in LibraryMethod]: {
    readonly id: number;
    readonly method: M;
    readonly args: Parameters<LibraryOperations[M]>;
  };
}[LibraryMethod];

export type LibraryAnswer =
  | { readonly id: number; readonly value: ReturnType<LibraryOperations[LibraryMethod]> }
  | { readonly id: number; readonly error: StoreErrorData };

/** Start parameters of the thread. */
export interface LibraryThread {
  /** Folder used only for its private copies. */
  readonly copies: string;
}
