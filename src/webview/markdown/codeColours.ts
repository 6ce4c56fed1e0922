import { effect } from '@preact/signals';
import { canHighlight, highlight, loadHighlighting } from './highlighting';
import { sanitizedFragment } from './sanitizer';

/** Milliseconds that code has to stay in sight before it is coloured: what streams or scrolls past is not worth the work. */
const restMs = 120;
/** Milliseconds of colouring after which keys and frames have their turn. */
const sliceMs = 8;

/** Code to be coloured: in sight, or waiting for the grammars. */
const due = new Set<Element>();
/** Code that is not observed yet. */
let fresh: Element[] = [];
let observer: IntersectionObserver | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let isWaiting = false;

/** Colours the code in an element once it is seen and rests, and its grammars are there; where nobody can tell what is seen, at once. Its text
 *  stays as it is. What has left the page is forgotten. */
export function colourWhenSeen(element: Element): void {
  for (const pre of element.querySelectorAll('pre[data-language]')) {
    if (pre.getAttribute('data-language') === '') continue;
    if (typeof IntersectionObserver === 'undefined') {
      due.add(pre);
      colourDue();
    } else if (fresh.push(pre) === 1) setTimeout(observeFresh, restMs);
  }
}

// Together and between two frames: observing has the page laid out where that is due.
function observeFresh(): void {
  observer ??= new IntersectionObserver(noteSight);
  for (const pre of fresh) if (pre.isConnected) observer.observe(pre);
  fresh = [];
}

function noteSight(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) due.add(target);
    else due.delete(target);
    if (!target.isConnected) observer?.unobserve(target);
  }
  if (timer !== null) clearTimeout(timer);
  timer = due.size === 0 ? null : setTimeout(colourDue, restMs);
}

function colourDue(): void {
  timer = null;
  if (!canHighlight.peek()) return waitForGrammars();
  const started = performance.now();
  for (const pre of due) {
    if (performance.now() - started > sliceMs) {
      timer = setTimeout(colourDue, 0);
      return;
    }
    due.delete(pre);
    observer?.unobserve(pre);
    if (pre.isConnected) colour(pre);
  }
}

function colour(pre: Element): void {
  const code = pre.querySelector('code');
  // Replacing the text would take away what is selected in it.
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
