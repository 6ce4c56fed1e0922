import { fillMessage, joinNames, type MessageArgs } from '../base/messageText';

/** The editor's language, which the host writes into the page. Default, in tests without a page: that of the
 *  runtime. */
export const pageLanguage: string | undefined =
  typeof document === 'undefined' ? undefined : document.documentElement.lang || undefined;

let dictionary: Readonly<Record<string, string>> = {};

/** Sets the page's translations by English text. Called once, before the first text is painted. A page has one
 *  language, so this is the only global state. */
export function setLocalization(strings: Readonly<Record<string, string>>): void {
  dictionary = strings;
}

/** Returns the text in the user's language, with `{name}` replaced from `args`. A text without a translation stays
 *  English. */
export function t(english: string, args: MessageArgs = {}): string {
  const text = Object.hasOwn(dictionary, english) ? (dictionary[english] ?? english) : english;
  return fillMessage(text, args, pageLanguage ?? 'en');
}

/** Puts text into the quotation marks of the language. */
export function quoted(text: string): string {
  return t('“{text}”', { text });
}

/** Joins names for display, without "and". */
export function shownList(names: readonly string[]): string {
  return joinNames(names, pageLanguage ?? 'en');
}
