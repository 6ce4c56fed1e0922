import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { HLJSApi } from 'highlight.js';

/** Maximum number of characters to highlight. Longer code stays plain: color is not worth a stutter. */
const longestHighlighted = 50_000;

const grammars = signal<HLJSApi | null>(null);
let loading: Promise<void> | null = null;

/** False until the grammars are loaded: code rendered before that is plain and renders again. */
export const canHighlight: ReadonlySignal<boolean> = computed(() => grammars.value !== null);

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
export function highlight(code: string, language: string): string | null {
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
