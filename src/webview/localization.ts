let dictionary: Readonly<Record<string, string>> = {};

/** Sets the page's language: translations by English text. Called once, before the first words are painted. A page has one language,
 *  which is why this is the one piece of state that is not handed around. */
export function setLocalization(strings: Readonly<Record<string, string>>): void {
  dictionary = strings;
}

/** The text in the person's language, `{name}` replaced from `args`. A text without a translation stays English. */
export function t(english: string, args: Readonly<Record<string, string | number>> = {}): string {
  const text = Object.hasOwn(dictionary, english) ? (dictionary[english] ?? english) : english;
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(args, name) ? String(args[name]) : placeholder,
  );
}
