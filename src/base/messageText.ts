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
