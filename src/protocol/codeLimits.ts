/** Characters of one piece of code that can be acted on. */
export const maxCodeCharacters = 2_000_000;
/** Texts asked about at once. */
export const maxReferences = 200;
/** Characters of a text that may name a file or a symbol. */
export const maxReferenceCharacters = 300;
