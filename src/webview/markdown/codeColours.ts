import { effect, computed, signal, type ReadonlySignal } from '@preact/signals';
import { sanitizedFragment } from './sanitizer';
import type { HLJSApi } from 'highlight.js';

/** Maximum number of characters to highlight. Longer code stays plain: color is not worth a stutter. */
const longestHighlighted = 50_000;

const grammars = signal<HLJSApi | null>(null);
let loading: Promise<void> | null = null;

/** False until the grammars are loaded: code rendered before that is plain and renders again. */
const canHighlight: ReadonlySignal<boolean> = computed(() => grammars.value !== null);

/** Loads the grammars, which no page needs before its first code. Loads once; after a failure the next call retries. */
export function loadHighlighting(): Promise<void> {
  return (loading ??= import('./languages').then(
    (languages) => {
      grammars.value = languages.default;
    },
    () => {
      loading = null;
    },
  ));
}

/** Returns HTML of highlighted code (only `<span class="hljs-…">` around escaped text). Null when the language is
 *  unknown, the code is too long, or the grammars are not loaded yet. */
function highlight(code: string, language: string): string | null {
  if (code.length > longestHighlighted) return null;
  const hljs = grammars.peek();
  if (hljs === null) {
    void loadHighlighting();
    return null;
  }
  return hljs.getLanguage(language) === undefined
    ? null
    : hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

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
