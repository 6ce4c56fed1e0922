import { fillMessage, type MessageArgs } from './messageText';

/** Translates a message into the editor's language; `{name}` in the message stands for the argument of that name. */
export type Translate = (message: string, args?: Readonly<Record<string, string>>) => string;

let language = 'en';
let translations: Readonly<Record<string, string>> = {};

/** Sets the language of every sentence that is built from now on. Called once, at activation: an editor window has one
 *  language, so this is the only global state. Default: English, which is also the language of worker threads and of
 *  separately loaded bundles. */
export function setTranslations(editorLanguage: string, bundle: Readonly<Record<string, string>>): void {
  language = editorLanguage;
  translations = bundle;
}

/** Returns the message in the editor's language, with `{name}` replaced from `args`. A message without a translation
 *  stays English. */
export function t(message: string, args: MessageArgs = {}): string {
  const text = Object.hasOwn(translations, message) ? (translations[message] ?? message) : message;
  return fillMessage(text, args, language);
}
