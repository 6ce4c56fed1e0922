/** The notices of the packages that these files belong to; throws where a package has no license text. */
export function noticesText(root: string, files: readonly string[]): string;
