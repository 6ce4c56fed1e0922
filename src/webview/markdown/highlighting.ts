import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { HLJSApi } from 'highlight.js';

/** Longer code stays plain: colour is not worth a stutter. */
const longestHighlighted = 50_000;

const grammars = signal<HLJSApi | null>(null);
let loading: Promise<void> | null = null;

/** False until the grammars are there: what was drawn before has plain code, and is drawn again. */
export const canHighlight: ReadonlySignal<boolean> = computed(() => grammars.value !== null);

/** Loads the grammars, which no page needs before its first code. Once; after a failure the next call tries again. */
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

/** HTML of highlighted code (only `<span class="hljs-…">` around escaped text), or null where the language is unknown, the code is long, or the
 *  grammars are still to come. */
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
