import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../localization';
import { MarkdownBlocks, type Block } from './blocks';
import { canHighlight } from './highlighting';
import { sanitizedFragment } from './sanitizer';

/** What can be done with what is inside an answer. */
export interface MarkdownActions {
  openLink(href: string): void;
  copy(text: string): void;
}

interface MarkdownProps {
  readonly text: string;
  /** False while more text may come. */
  readonly complete: boolean;
  readonly actions: MarkdownActions;
}

/** Text of an answer as Markdown. Its text content is the delivered text as Markdown renders it; buttons add none. */
export function Markdown({ text, complete, actions }: MarkdownProps) {
  const element = useRef<HTMLDivElement>(null);
  const blocks = useRef<MarkdownBlocks | null>(null);
  const drawn = useRef<readonly Block[]>([]);
  // Code drawn before the grammars came is plain: the text is parsed again, and what came out otherwise is drawn again.
  const coloured = /```|~~~/.test(text) && canHighlight.value;
  const wasColoured = useRef(coloured);
  useLayoutEffect(() => {
    if (coloured && !wasColoured.current) blocks.current = null;
    wasColoured.current = coloured;
    blocks.current ??= new MarkdownBlocks();
    const next = blocks.current.render(text, complete);
    if (element.current !== null) drawBlocks(element.current, drawn.current, next, actions);
    drawn.current = next;
  }, [text, complete, actions, coloured]);
  const answer = (event: Event): void => {
    const address = addressOf(event.target);
    if (address === null) return;
    event.preventDefault();
    // VS Code listens on the document and would follow links by itself.
    event.stopPropagation();
    actions.openLink(address);
  };
  return (
    <div
      class="markdown"
      dir="auto"
      ref={element}
      onClick={answer}
      onKeyDown={(event) => {
        if (event.key === 'Enter') answer(event);
      }}
    />
  );
}

/** Brings the elements, one for each block, from `before` to `after`. By hand, since an answer may have a thousand blocks of which one changes
 *  with a delta: comparing strings that are the same string costs nothing, comparing drawn elements does. */
function drawBlocks(container: HTMLElement, before: readonly Block[], after: readonly Block[], actions: MarkdownActions): void {
  let same = 0;
  while (same < after.length && same < before.length && before[same]?.html === after[same]?.html) same++;
  for (const [index, block] of after.slice(same).entries()) {
    const existing = container.children[same + index];
    const element = existing ?? container.appendChild(document.createElement('div'));
    element.className = 'markdown-block';
    fillBlock(element, block.html, actions);
  }
  while (container.children.length > after.length) container.lastElementChild?.remove();
}

function fillBlock(element: Element, html: string, actions: MarkdownActions): void {
  element.replaceChildren(sanitizedFragment(html));
  for (const pre of element.querySelectorAll('pre')) addCopyButton(pre, actions);
  for (const table of element.querySelectorAll('table')) makeScrollable(table);
}

// A button without text: its icon is drawn by CSS, so that the answer's text stays exactly what was delivered.
function addCopyButton(pre: HTMLPreElement, actions: MarkdownActions): void {
  const frame = document.createElement('div');
  frame.className = 'code-block';
  frame.dataset['language'] = pre.dataset['language'] ?? '';
  pre.replaceWith(frame);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'icon-button code-copy codicon codicon-copy';
  button.title = t('Copy');
  button.setAttribute('aria-label', t('Copy Code'));
  button.addEventListener('click', () => {
    actions.copy(pre.textContent ?? '');
    button.classList.replace('codicon-copy', 'codicon-check');
    setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), 1500);
  });
  frame.append(pre, button);
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

function addressOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest('a[data-href]')?.getAttribute('data-href') ?? null) : null;
}
