/** The generated pages by their path from the root. Throws where package.json has a command that is not described. */
export function referencePages(root: string): Readonly<Record<string, string>>;
