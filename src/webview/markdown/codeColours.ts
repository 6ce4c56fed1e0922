import { effect } from '@preact/signals';
import { canHighlight, highlight, loadHighlighting } from './highlighting';
import { sanitizedFragment } from './sanitizer';

/** Maximum milliseconds of highlighting before yielding to keys and frames. */
const sliceMs = 8;

/** Code to be highlighted, or waiting for the grammars. */
const due = new Set<Element>();
let timer: ReturnType<typeof setTimeout> | null = null;
let isWaiting = false;

/** Highlights the code in visible blocks once the grammars are loaded. Its text stays as it is. Forgets code that
 *  has left the page. */
export function colourCode(blocks: readonly Element[]): void {
  for (const block of blocks)
    for (const pre of block.querySelectorAll('pre[data-language]:not([data-language=""])')) due.add(pre);
  if (due.size > 0) colourDue();
}

function colourDue(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  if (!canHighlight.peek()) return waitForGrammars();
  const started = performance.now();
  for (const pre of due) {
    if (performance.now() - started > sliceMs) {
      timer = setTimeout(colourDue, 0);
      return;
    }
    due.delete(pre);
    if (pre.isConnected) colour(pre);
  }
}

function colour(pre: Element): void {
  const code = pre.querySelector('code');
  // Replacing the text would clear the user's selection in it.
  if (code === null || isSelected(code)) return;
  const html = highlight(code.textContent ?? '', pre.getAttribute('data-language') ?? '');
  if (html !== null) code.replaceChildren(sanitizedFragment(html));
}

function isSelected(code: Element): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

function waitForGrammars(): void {
  void loadHighlighting();
  if (isWaiting) return;
  isWaiting = true;
  effect(() => {
    if (canHighlight.value) timer ??= setTimeout(colourDue, 0);
  });
}
