import { shownList, t } from '../localization';
import { blockFilled } from './closedBlocks';

/** Fills the element of one block of an answer with its elements, and wraps code and tables. Adds no text. Tools are
 *  added when the block is closed; until then existing nodes stay and grown text is appended. */
export function fillBlock(element: Element, sanitized: DocumentFragment): void {
  for (const pre of sanitized.querySelectorAll('pre')) addHead(pre);
  for (const table of sanitized.querySelectorAll('table')) makeScrollable(table);
  if (blockFilled(element)) element.replaceChildren(sanitized);
  else bring(element, sanitized);
}

/** Changes the nodes in `shown` to match those in `wanted`. */
function bring(shown: Node, wanted: Node): void {
  let old = shown.firstChild;
  for (let next = wanted.firstChild; next !== null;) {
    const [node, place] = [next, old];
    next = next.nextSibling;
    old = old?.nextSibling ?? null;
    if (place === null) shown.appendChild(node);
    else if (place instanceof Text && node instanceof Text) bringText(place, node.data);
    else if (place instanceof Element && node instanceof Element && isSameTag(place, node)) bring(place, node);
    else shown.replaceChild(node, place);
  }
  while (old !== null) {
    const gone = old;
    old = old.nextSibling;
    shown.removeChild(gone);
  }
}

function bringText(shown: Text, wanted: string): void {
  if (shown.data === wanted) return;
  if (wanted.startsWith(shown.data)) shown.appendData(wanted.slice(shown.length));
  else shown.data = wanted;
}

function isSameTag(left: Element, right: Element): boolean {
  return (
    left.localName === right.localName &&
    left.attributes.length === right.attributes.length &&
    [...left.attributes].every(({ name, value }) => right.getAttribute(name) === value)
  );
}

// CSS renders the language name, so that the answer's text stays exactly as delivered.
function addHead(pre: HTMLPreElement): void {
  const frame = document.createElement('div');
  frame.className = 'code-block';
  const head = document.createElement('div');
  head.className = 'code-head';
  head.dataset['language'] = pre.dataset['language'] ?? '';
  pre.replaceWith(frame);
  frame.append(head, pre);
}

/** Characters of a cell that stay on one line: "±10 %" is read as one thing. */
const longestUnwrapped = 14;

function makeScrollable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  // A group, since an answer may have many tables, and each region would be a landmark of the page.
  frame.setAttribute('role', 'group');
  const columns = [...table.querySelectorAll('th')].map((cell) => cell.textContent.trim()).filter(Boolean);
  frame.setAttribute('aria-label', columns.length === 0 ? t('Table') : shownList(columns));
  for (const cell of table.querySelectorAll('th, td'))
    if (cell.textContent.length <= longestUnwrapped) cell.classList.add('short');
  table.replaceWith(frame);
  frame.append(table);
}

/** Returns the target of the link an event happened in; null when there is none. */
export function addressOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest('a[data-href]')?.getAttribute('data-href') ?? null) : null;
}
