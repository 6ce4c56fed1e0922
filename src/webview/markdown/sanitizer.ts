import DOMPurify from 'dompurify';

const tags = [
  'a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'input', 'li', 'ol', 'p', 'pre', 'span', 'strong',
  'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul',
];
const attributes = ['align', 'aria-label', 'checked', 'class', 'data-href', 'data-language', 'disabled', 'role', 'start', 'tabindex', 'title', 'type'];

/** The second wall. The renderer lets no raw HTML through; this lets nothing through but the elements and attributes that Markdown makes:
 *  no address, style, id or event handler, no SVG, no MathML. Returns nodes, so that no markup is parsed a second time. */
export function sanitizedFragment(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
