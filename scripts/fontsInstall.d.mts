/** Installs fonts for Chinese, Japanese, and Korean where they are missing and that is possible without asking
 *  anyone. */
export function ensureFonts(say?: (line: string) => void): void;
/** The languages that no installed font has the characters of. `list`: the fonts for a language, one a line. */
export function languagesWithoutFont(list?: (code: string) => string): string[];
