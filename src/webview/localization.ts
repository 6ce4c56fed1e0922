let dictionary: Readonly<Record<string, string>> = {};

/** Sets the page's language: translations by English text. Called once, before the first text is painted. A page has
 *  one language, so this is the only global state. */
export function setLocalization(strings: Readonly<Record<string, string>>): void {
  dictionary = strings;
}

/** Returns the text in the user's language, with `{name}` replaced from `args`. A text without a translation stays
 *  English. */
export function t(english: string, args: Readonly<Record<string, string | number>> = {}): string {
  const text = Object.hasOwn(dictionary, english) ? (dictionary[english] ?? english) : english;
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(args, name) ? String(args[name]) : placeholder,
  );
}
