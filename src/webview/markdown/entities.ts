const known = new Map<string, string>([['&amp;', '&'], ['&lt;', '<'], ['&gt;', '>'], ['&quot;', '"'], ['&#39;', "'"]]);
/** As many different ones are remembered. */
const mostKnown = 500;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w+);/g;

let holder: HTMLElement | null = null;

/** What markup without tags reads as: its character references are resolved, the way the browser resolves them. */
export function textOf(markup: string): string {
  const text = markup.includes('&') ? markup.replace(entity, character) : markup;
  // As in HTML: it is no character of a text.
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

function character(reference: string): string {
  const remembered = known.get(reference);
  if (remembered !== undefined) return remembered;
  // Nothing but a reference gets here, so there is nothing in it to be parsed but that; the element belongs to no page.
  holder ??= document.implementation.createHTMLDocument('').createElement('textarea');
  holder.innerHTML = reference;
  const found = holder.textContent ?? reference;
  if (known.size < mostKnown) known.set(reference, found);
  return found;
}
