import type { Token, Tokens } from 'marked';

/** The text of each piece of code as the parser saw it, by the element that shows it. */
const texts = new WeakMap<HTMLPreElement, string>();

/** The texts of the code in a block, in the order in which they are drawn. */
export function codesIn(token: Token): readonly string[] {
  if (isCode(token)) return [token.text];
  if (isList(token)) return token.items.flatMap((item) => item.tokens.flatMap(codesIn));
  return isQuote(token) ? token.tokens.flatMap(codesIn) : [];
}

/** Keeps what the code drawn in `block` says. Where more or less of it is drawn than was parsed, nothing is kept. */
export function keepCodeTexts(block: Element, codes: readonly string[]): void {
  const pres = block.querySelectorAll<HTMLPreElement>('.code-block > pre');
  if (pres.length === codes.length) pres.forEach((pre, index) => texts.set(pre, codes[index] ?? ''));
}

/** The text of a piece of code for whoever acts on it; null where the page shows another one than the parser saw. */
export function codeTextOf(pre: HTMLPreElement): string | null {
  const text = texts.get(pre);
  return text !== undefined && text === pre.textContent ? text : null;
}

function isCode(token: Token): token is Tokens.Code {
  return token.type === 'code';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

function isQuote(token: Token): token is Tokens.Blockquote {
  return token.type === 'blockquote';
}
