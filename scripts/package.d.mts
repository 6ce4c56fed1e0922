/** Builds and packs the extension in a folder of its own and leaves the package in `folder` (the project's root); rejects when something is
 *  inside that must not be shipped. */
export function packageExtension(
  say?: (line: string) => void,
  folder?: string,
): Promise<{ file: string; bytes: number }>;
/** The names in a zip file. */
export function entriesOf(file: string): string[];
