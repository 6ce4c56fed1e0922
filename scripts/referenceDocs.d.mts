/** The generated pages by their path from the root. Throws where package.json has a command that is not described. */
export function referencePages(root: string): Readonly<Record<string, string>>;

/** Commands that the palette offers inside another one: the name of that one → theirs. */
export function choicesIn(root: string): ReadonlyMap<string, readonly string[]>;
