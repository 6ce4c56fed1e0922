import type { Token, Tokens } from 'marked';

/** Text of each code block as the parser saw it, by the element that shows it. */
const texts = new WeakMap<HTMLPreElement, string>();

/** Returns the texts of the code in a block, in render order. */
export function codesIn(token: Token): readonly string[] {
  if (isCode(token)) return [token.text];
  if (isList(token)) return token.items.flatMap((item) => item.tokens.flatMap(codesIn));
  return isQuote(token) ? token.tokens.flatMap(codesIn) : [];
}

/** Stores the texts of the code rendered in `block`. Stores nothing if the number of code elements differs from the
 *  parsed number. */
export function keepCodeTexts(block: Element, codes: readonly string[]): void {
  const pres = block.querySelectorAll<HTMLPreElement>('.code-block > pre');
  if (pres.length === codes.length) pres.forEach((pre, index) => texts.set(pre, codes[index] ?? ''));
}

/** Returns the text of a code block for an action; null when the page shows a different text than the parser saw. */
export function codeTextOf(pre: HTMLPreElement): string | null {
  const text = texts.get(pre);
  return text !== undefined && text === pre.textContent ? text : null;
}

export function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}

export function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

export function isQuote(token: Token): token is Tokens.Blockquote {
  return token.type === 'blockquote';
}
