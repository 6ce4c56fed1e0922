/** Builds and packs the extension; rejects when something is inside that must not be shipped. */
export function packageExtension(say?: (line: string) => void): Promise<{ file: string; bytes: number }>;
/** The names in a zip file. */
export function entriesOf(file: string): string[];
