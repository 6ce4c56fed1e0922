import { t } from '../../base/translate';
const searchFor = (query: string): string => t('Search for “{query}”', { query });

/** The prompts that Demo can answer, offered in the empty state. */
export const demoPrompts = (): readonly [folder: string, search: string, long: string] => [
  t('What is in this folder?'),
  searchFor('TODO'),
  t('Give me a long answer about this folder'),
];

/** The request that Demo recognized in a prompt. */
export type DemoRequest =
  | { readonly kind: 'folder' }
  | { readonly kind: 'search'; readonly query: string }
  | { readonly kind: 'long' }
  | { readonly kind: 'other' };

/** Parses a prompt by fixed words: the offered prompts in the editor's language, or English ones. Demo is a script, and
 *  says so for every other prompt. */
export function demoRequest(prompt: string): DemoRequest {
  const text = prompt.trim();
  const [folder, , long] = demoPrompts();
  if (text === folder) return { kind: 'folder' };
  if (text === long) return { kind: 'long' };
  const [before = '', after = ''] = searchFor('\0').split('\0');
  const wanted =
    text.startsWith(before) && text.endsWith(after) ? text.slice(before.length, text.length - after.length).trim() : '';
  if (wanted !== '') return { kind: 'search', query: wanted };
  if (/\blong\b.*\b(?:answer|story|text)\b|\b(?:answer|story)\b.*\blong\b/is.test(text)) return { kind: 'long' };
  const search = /^(?:please\s+)?(?:search|find|look)\b(?:\s+for)?\s+(.+?)[.?!]*$/is.exec(text)?.[1];
  if (search !== undefined) {
    const query = /["“'`](.+?)["”'`]/s.exec(search)?.[1] ?? search.replace(/\s+in\s+(?:this|the)\s+folder$/i, '');
    return query.trim() === '' ? { kind: 'other' } : { kind: 'search', query: query.trim() };
  }
  if (/\bwhat(?:'s| is| are)\b.*\b(?:folder|here|workspace|project)\b/is.test(text)) return { kind: 'folder' };
  return { kind: 'other' };
}
