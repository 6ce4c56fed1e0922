/** Lays the extension out in `folder` as its package holds it. */
export function layOut(folder: string): Promise<unknown>;
/** Builds and packs the extension in a folder of its own and leaves the package and its bill of materials in `folder`
 *  (the project's root); rejects when the package must not be published. */
export function packageExtension(
  say?: (line: string) => void,
  folder?: string,
): Promise<{ file: string; sbom: string; bytes: number }>;
/** True for an odd minor number: such a version goes to the pre-release channel. */
export function isPreRelease(version: string): boolean;
