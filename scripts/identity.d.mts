export interface Identity {
  /** True until an owner has decided: such a package is not published. */
  readonly isPlaceholder: boolean;
  readonly publisher: string;
  readonly name: string;
  readonly displayName: string;
  /** Web address, without `.git`. */
  readonly repository: string;
}
/** Reads and validates scripts/identity.json. */
export function readIdentity(root?: string): Identity;
/** Compares every place with scripts/identity.json, and changes those that differ if `write` is set. */
export function checkIdentity(options?: { readonly root?: string; readonly write?: boolean }): {
  readonly changed: readonly string[];
  readonly problems: readonly string[];
};
