import type * as later from './blocksInView';
import type { MarkdownActions } from './markdownActions';

/** Milliseconds after the first closed block: the first paint and the first frames of an answer go first. */
const loadMs = 100;

let loaded: typeof later | null = null;
let loading: Promise<void> | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
/** Closed blocks, until the program that adds to them is loaded. */
const waiting = new Map<Element, MarkdownActions>();

/** Marks a block as closed: nothing will be added to its text. What makes it more than text comes later
 *  (blocksInView.ts). */
export function blockClosed(element: Element, actions: MarkdownActions): void {
  if (loaded !== null) return loaded.takeBlock(element, actions);
  timer ??= setTimeout(() => void loadBlockTools(), loadMs);
  waiting.set(element, actions);
}

/** Called when a block renders again. Returns false when it was not closed, and so nothing was added to it. */
export function blockFilled(element: Element): boolean {
  return loaded?.releaseBlock(element) ?? waiting.delete(element);
}

/** Loads the program that is not needed before the first block is closed. After a failure the next call retries. */
export function loadBlockTools(): Promise<void> {
  return (loading ??= import('./blocksInView').then(
    (module) => {
      loaded = module;
      for (const [element, actions] of waiting) if (element.isConnected) module.takeBlock(element, actions);
      waiting.clear();
    },
    () => {
      loading = timer = null;
    },
  ));
}
