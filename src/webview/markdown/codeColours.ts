import { sanitizedFragment } from './sanitizer';
import type { HLJSApi } from 'highlight.js';

/** Maximum number of characters to highlight. Longer code stays plain: color is not worth a stutter. */
const longestHighlighted = 50_000;

let grammars: HLJSApi | null = null;
let loading: Promise<void> | null = null;

/** Loads the grammars, which no page needs before its first code. Loads once; after a failure the next call retries. */
export function loadHighlighting(): Promise<void> {
  return (loading ??= import('./languages').then(
    (languages) => {
      grammars = languages.default;
    },
    () => {
      loading = null;
    },
  ));
}

/** Maximum milliseconds of highlighting before yielding to keys and frames. */
const sliceMs = 8;

/** Code to be highlighted, or waiting for the grammars. */
const due = new Set<Element>();
let timer: ReturnType<typeof setTimeout> | null = null;

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
  // Code stays plain when they cannot be loaded. Many may wait for them: one timer for all.
  if (grammars === null)
    return void loadHighlighting().then(() => grammars !== null && (timer ??= setTimeout(colourDue, 0)));
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
  const text = code?.textContent ?? '';
  // Replacing the text would clear the user's selection in it.
  if (code === null || isSelected(code) || text.length > longestHighlighted) return;
  const language = pre.getAttribute('data-language') ?? '';
  if (grammars?.getLanguage(language) === undefined) return;
  // Only `<span class="hljs-…">` around escaped text.
  code.replaceChildren(sanitizedFragment(grammars.highlight(text, { language, ignoreIllegals: true }).value));
}

function isSelected(code: Element): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}
