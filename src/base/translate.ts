import { fillMessage, joinNames, type MessageArgs } from './messageText';

/** Translates a message into the editor's language; `{name}` in the message stands for the argument of that name. */
export type Translate = (message: string, args?: Readonly<Record<string, string>>) => string;

/** The editor's language, and its texts by English text. Plain data, so that other threads can get it too. */
export interface Translations {
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
}

let current: Translations = { language: 'en', texts: {} };

/** Sets the language of every sentence that is built from now on. Called once per bundle, before its first sentence: a
 *  window has one language, so this is the only global state. Default: English. */
export function setTranslations(translations: Translations): void {
  current = translations;
}

/** The translations in use, for a bundle or thread that this one starts: each has its own copy of this module. */
export function translations(): Translations {
  return current;
}

/** The language for dates, numbers and lists that are shown. */
export function shownLanguage(): string {
  return current.language;
}

/** Puts text into the quotation marks of the language. */
export function quoted(text: string): string {
  return t('“{text}”', { text });
}

/** Joins names for display, without "and". */
export function shownList(names: readonly string[]): string {
  return joinNames(names, current.language);
}

/** Returns the message in the editor's language, with `{name}` replaced from `args`. A message without a translation
 *  stays English. */
export function t(message: string, args: MessageArgs = {}): string {
  const { language, texts } = current;
  return fillMessage(Object.hasOwn(texts, message) ? (texts[message] ?? message) : message, args, language);
}
