/** Texts of the code by English text, and of the manifest by their keys. */
export interface Texts {
  readonly code: Readonly<Record<string, string>>;
  readonly manifest: Readonly<Record<string, string>>;
}
export const languages: readonly string[];
export function textsOf(language?: string): Texts;
export function missingTexts(language: string): Texts;
export function staleTexts(language: string): readonly string[];
export function problemsOf(language: string, english: string, translation: string): readonly string[];
export function merge(language: string, filled: Partial<Texts>): void;
