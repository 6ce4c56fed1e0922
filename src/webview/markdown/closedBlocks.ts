import type { MarkdownActions } from './markdownActions';
import type * as tools from './blockTools';

let loaded: typeof tools | null = null;
let loading: Promise<void> | null = null;
const dressed = new WeakSet<Element>();
const waiting = new Map<Element, MarkdownActions>();

/** Nothing will be added to a block: what can be done with its code and its names is put to it, once, behind the first paint. */
export function blockClosed(element: Element, actions: MarkdownActions): void {
  if (dressed.has(element)) return;
  if (loaded === null) {
    waiting.set(element, actions);
    void loadBlockTools();
    return;
  }
  dressed.add(element);
  loaded.dressBlock(element, actions);
}

/** What was put to a block is gone: it was drawn anew. */
export function blockFilled(element: Element): void {
  dressed.delete(element);
  waiting.delete(element);
}

/** Loads what nobody needs before the first answer is closed. After a failure the next call tries again. */
export function loadBlockTools(): Promise<void> {
  return (loading ??= import('./blockTools').then(
    (module) => {
      loaded = module;
      for (const [element, actions] of waiting) blockClosed(element, actions);
      waiting.clear();
    },
    () => {
      loading = null;
    },
  ));
}
