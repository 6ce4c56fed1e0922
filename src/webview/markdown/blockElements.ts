import { t } from '../localization';
import { blockFilled } from './closedBlocks';

/** Fills the element of one block of an answer: its elements, and around code and tables what holds them. Adds no text. What can be done with
 *  them comes when the block is closed. */
export function fillBlock(element: Element, sanitized: DocumentFragment): void {
  blockFilled(element);
  element.replaceChildren(sanitized);
  for (const pre of element.querySelectorAll('pre')) addHead(pre);
  for (const table of element.querySelectorAll('table')) makeScrollable(table);
}

// The name of the language is drawn by CSS, so that the answer's text stays exactly what was delivered.
function addHead(pre: HTMLPreElement): void {
  const frame = document.createElement('div');
  frame.className = 'code-block';
  const head = document.createElement('div');
  head.className = 'code-head';
  head.dataset['language'] = pre.dataset['language'] ?? '';
  pre.replaceWith(frame);
  frame.append(head, pre);
}

function makeScrollable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', t('Table'));
  table.replaceWith(frame);
  frame.append(table);
}

/** Target of the link an event happened in; null where it is none. */
export function addressOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest('a[data-href]')?.getAttribute('data-href') ?? null) : null;
}
