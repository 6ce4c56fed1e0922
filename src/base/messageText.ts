export type MessageArgs = Readonly<Record<string, string | number>>;

/** Replaces `{name}` from `args`, and `{name|one|few|many}` by the form that the language uses after that number. */
export function fillMessage(text: string, args: MessageArgs, language: string): string {
  return text.replace(/\{(\w+)(?:\|([^{}]*))?\}/g, (placeholder, name: string, forms: string | undefined) => {
    if (!Object.hasOwn(args, name)) return placeholder;
    const value = String(args[name]);
    return forms === undefined ? value : pluralForm(value, forms.split('|'), language);
  });
}

/** Chooses among one, few and many. The number may have digit grouping; a shortened number ("12K") counts as many. */
function pluralForm(value: string, [one = '', few = '', many = '']: readonly string[], language: string): string {
  const number = /^[\d\s.,’']+$/.test(value) ? Number(value.replace(/\D/g, '')) : Number.NaN;
  const category = new Intl.PluralRules(language).select(number);
  return category === 'one' ? one : category === 'few' ? few : many;
}

/** Joins sentences with a space between them, except after a full-width full stop, which brings its own. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences
    .filter((sentence) => sentence !== '')
    .reduce((text, sentence) => (text === '' || /[。！？]$/.test(text) ? text + sentence : `${text} ${sentence}`), '');
}

/** Joins names with the comma of the language. `Intl.ListFormat` always adds "and", or leaves out the commas. */
export function joinNames(names: readonly string[], language: string): string {
  return names.join(/^(?:ja|zh)\b/.test(language) ? '、' : ', ');
}
