/** Maximum characters of a code block for actions. */
export const maxCodeCharacters = 2_000_000;
/** Maximum texts per request. */
export const maxReferences = 200;
/** Maximum characters of a text that may name a file or a symbol. */
export const maxReferenceCharacters = 300;
