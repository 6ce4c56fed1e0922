/** The contents of a zip file by name; `time` as MS-DOS stores it. */
export function readZip(file: string): ReadonlyMap<string, { readonly bytes: Buffer; readonly time: number }>;
