import { estimateTokens } from '../../../transcript/contextUse';

/** Servers refuse a query of more than 500 tokens, and a long one takes time without finding more. The estimate may
 *  be 20 % off. */
const maxCharacters = 800;
const maxTokens = 380;

/** Returns the beginning of a prompt, short enough for a search. */
export function recallQuery(text: string): string {
  let query = cut(text.trim(), maxCharacters);
  while (estimateTokens(query) > maxTokens) query = cut(query, Math.floor(query.length * 0.8));
  return query;
}

/** Never cuts a surrogate pair. */
function cut(text: string, length: number): string {
  const end = text.charCodeAt(length - 1);
  return text.slice(0, text.length > length && end >= 0xd800 && end < 0xdc00 ? length - 1 : length);
}
