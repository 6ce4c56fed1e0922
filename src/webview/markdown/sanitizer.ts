import DOMPurify from 'dompurify';
import { safeLink } from './links';

const tags = (
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr input li ol p pre span strong table tbody td th ' + 'thead tr ul'
).split(' ');
const attributes = (
  'align aria-label checked class data-href data-info data-language disabled role start tabindex title ' + 'type'
).split(' ');

/** Classes that the renderer and the highlighter write. Any other class could make text look like a control of the
 *  panel. */
const ownClass = /^(?:hljs-[\w-]+|function_|class_|inherited__|language_|raw-html|footnote|math|math-block)$/;

/** Returns a sanitizer with rules of its own, for what is not Markdown. */
export const newPurifier = (): ReturnType<typeof DOMPurify> => DOMPurify(window);

let isConfigured = false;

/** Second line of defense, which must hold without the first. The renderer lets no raw HTML through. This function
 *  allows only what Markdown produces: no address, style, id or event handler, no SVG, no MathML, and no class, role
 *  or control that the renderer does not write. Returns nodes, so that no markup is parsed a second time. */
export function sanitizedFragment(html: string): DocumentFragment {
  if (!isConfigured) configure();
  return DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true });
}

/** The same for several blocks in one call: the fixed cost of a call equals that of a short block. Returns one
 *  fragment each, in order. */
export function sanitizedFragments(htmls: readonly string[]): readonly DocumentFragment[] {
  if (htmls.length < 2) return htmls.map(sanitizedFragment);
  // Separated by an element that is allowed anyway and can contain any block.
  const parts = [...sanitizedFragment(htmls.map((html) => `<blockquote>${html}</blockquote>`).join('')).childNodes];
  // Markup with an unclosed element would run into the next block.
  if (parts.length !== htmls.length || !parts.every((part) => part.nodeName === 'BLOCKQUOTE'))
    return htmls.map(sanitizedFragment);
  return parts.map((part) => {
    const fragment = document.createDocumentFragment();
    fragment.append(...part.childNodes);
    return fragment;
  });
}

// Once: parsing these lists in every call would cost as much as a short block.
function configure(): void {
  // The result never contains the body it parses into, but if `body` is not allowed, DOMPurify copies all of its
  // content before the check. No Trusted Types policy: the page requires none, and each attribute would be looked up in
  // it.
  DOMPurify.setConfig({
    ALLOWED_TAGS: [...tags, 'body'],
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
    TRUSTED_TYPES_POLICY: null,
  });
  DOMPurify.addHook('uponSanitizeAttribute', (element, attribute) => {
    if (!isKept(element, attribute.attrName, attribute.attrValue)) attribute.keepAttr = false;
  });
  DOMPurify.addHook('afterSanitizeAttributes', (element) => {
    if (element.localName !== 'input') return;
    // Other kinds of fields ask for input; a Markdown checkbox only shows a state.
    if (element.getAttribute('type') === 'checkbox') element.setAttribute('disabled', '');
    else element.remove();
  });
  isConfigured = true;
}

/** True when the renderer would write this attribute on such an element. */
function isKept(element: Element, name: string, value: string): boolean {
  switch (name) {
    case 'class':
      return value.split(/\s+/).every((word) => word === '' || ownClass.test(word));
    case 'role':
      return value === 'link' && element.localName === 'a';
    case 'data-href':
      return element.localName === 'a' && safeLink(value) !== null;
    case 'data-info':
    case 'data-language':
      return element.localName === 'pre';
    case 'aria-label':
    case 'checked':
    case 'disabled':
    case 'type':
      return element.localName === 'input';
    case 'tabindex':
      return value === '0' && (element.localName === 'a' || element.localName === 'pre');
    default:
      return true;
  }
}
