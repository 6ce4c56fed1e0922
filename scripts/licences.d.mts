/** True if an SPDX expression can be met with the allowed licenses. */
export function isAllowed(expression: string, allowed: readonly string[]): boolean;
/** The packages of a lock file with their licenses; "none" where nothing is known. */
export function lockedPackages(
  packages: Readonly<Record<string, { readonly license?: string; readonly version?: string }>>,
): readonly { readonly name: string; readonly version: string; readonly license: string }[];
