import { textOf } from './entities';

const elements = new Set([
  'a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'input', 'li', 'ol', 'p', 'pre', 'span', 'strong',
  'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
]);
const withoutContent = new Set(['br', 'hr', 'input']);
const attributes = new Set(['align', 'aria-label', 'checked', 'class', 'data-href', 'data-info', 'data-language', 'disabled', 'role', 'start', 'tabindex', 'title', 'type']);

/** Elements in elements above which what is in them is put into the last one: the browser's own parser stops at as many. */
const deepest = 500;

// A tag as the renderer writes it, and nothing else. Sticky: it is looked for where a "<" stands.
const tag = /<(?:\/([a-z][a-z0-9]*)|([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*))>/y;
const attribute = / ([a-z-]+)(?:="([^"]*)")?/g;

/** The second wall. The renderer lets no raw HTML through; this knows only the tags that the renderer writes, and makes each element by its name: no
 *  HTML is ever given to the browser to parse. No address, style, id or event handler can come out of it, no SVG, no MathML. What is no such
 *  tag is shown as the text it is, so nothing that was delivered is lost. */
export function sanitizedFragment(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const open: { readonly name: string; readonly inside: Node }[] = [];
  let inside: Node = fragment;
  let written = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    tag.lastIndex = at;
    const [whole, closed, opened, given = ''] = tag.exec(html) ?? [];
    const isClosing = closed !== undefined && open.at(-1)?.name === closed;
    const element = opened === undefined ? null : elementOf(opened, given);
    if (whole === undefined || (!isClosing && element === null)) {
      at += 1;
      continue;
    }
    addText(inside, html.slice(written, at));
    at = written = at + whole.length;
    if (isClosing) inside = open.pop()?.inside ?? fragment;
    else if (element !== null && opened !== undefined) {
      const isKept = open.length < deepest && !isLinkInLink(opened, open);
      if (isKept) inside.appendChild(element);
      if (withoutContent.has(opened)) continue;
      open.push({ name: opened, inside });
      if (isKept) inside = element;
    }
  }
  addText(inside, html.slice(written));
  return fragment;
}

/** A picture in a link is a link in a link: the outer one leads on. */
function isLinkInLink(name: string, open: readonly { readonly name: string }[]): boolean {
  return name === 'a' && open.some((outer) => outer.name === 'a');
}

/** Null where the renderer writes no such tag. */
function elementOf(name: string, given: string): HTMLElement | null {
  if (!elements.has(name)) return null;
  const element = document.createElement(name);
  if (given === '') return element;
  for (const [, key = '', value = ''] of given.matchAll(attribute)) {
    if (!attributes.has(key)) return null;
    element.setAttribute(key, textOf(value));
  }
  return element;
}

function addText(inside: Node, markup: string): void {
  if (markup !== '') inside.appendChild(document.createTextNode(textOf(markup)));
}
