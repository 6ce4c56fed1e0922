import type { MarkdownActions } from './markdownActions';
import type * as tools from './blockTools';
import { colourCode } from './codeColours';

/** Milliseconds that a block has to stay in sight before anything is done with it: what streams or scrolls past is not worth the work. */
const restMs = 200;
/** Milliseconds without a block being closed, behind which those that nobody saw get what belongs to them too. */
const quietMs = 400;
/** Milliseconds of such work after which keys and frames have their turn. */
const sliceMs = 8;

let loaded: typeof tools | null = null;
let loading: Promise<void> | null = null;
const closed = new WeakSet<Element>();
/** Closed blocks that have no tools yet. */
const undressed = new Map<Element, MarkdownActions>();
/** By the text they are in: closed blocks that nobody saw yet, in their order. */
const unseen = new Map<Element, Map<Element, MarkdownActions>>();
/** Texts in sight that have such blocks. */
const textsInSight = new Set<Element>();
/** Blocks that were in sight when it was last looked. */
let seenLast: ReadonlySet<Element> = new Set();
let observer: IntersectionObserver | null = null;
let lookTimer: ReturnType<typeof setTimeout> | null = null;
let quietTimer: ReturnType<typeof setTimeout> | null = null;

/** Nothing will be added to a block. Once it rests in sight its code is coloured and its names become links; what can be done with its code is put to it
 *  then too, or when the page is quiet. Where nobody can tell what is seen, at once. */
export function blockClosed(element: Element, actions: MarkdownActions): void {
  const text = element.parentElement;
  if (closed.has(element) || text === null) return;
  closed.add(element);
  undressed.set(element, actions);
  if (typeof IntersectionObserver === 'undefined') return attend([{ element, actions }]);
  const blocks = unseen.get(text) ?? watched(text);
  blocks.set(element, actions);
  if (textsInSight.has(text)) lookSoon();
  if (quietTimer !== null) clearTimeout(quietTimer);
  quietTimer = setTimeout(dressUnseen, quietMs);
}

/** What was put to a block goes: it is drawn anew. False where it was not closed, so that nothing was put to it. */
export function blockFilled(element: Element): boolean {
  if (!closed.delete(element)) return false;
  undressed.delete(element);
  for (const blocks of unseen.values()) blocks.delete(element);
  return true;
}

/** Loads what nobody needs before the first answer is closed. After a failure the next call tries again. */
export function loadBlockTools(): Promise<void> {
  return (loading ??= import('./blockTools').then(
    (module) => {
      loaded = module;
    },
    () => {
      loading = null;
    },
  ));
}

// Whole texts are observed, and their blocks looked for where they are: each thing that is observed costs something with every frame.
function watched(text: Element): Map<Element, MarkdownActions> {
  if (observer === null)
    document.addEventListener('scroll', () => textsInSight.size > 0 && lookSoon(), { capture: true, passive: true });
  const blocks = new Map<Element, MarkdownActions>();
  unseen.set(text, blocks);
  (observer ??= new IntersectionObserver(noteSight)).observe(text);
  return blocks;
}

function noteSight(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (!target.isConnected) forget(target);
    else if (isIntersecting && unseen.has(target)) textsInSight.add(target);
    else textsInSight.delete(target);
  }
  if (textsInSight.size > 0) lookSoon();
}

function forget(text: Element): void {
  observer?.unobserve(text);
  unseen.delete(text);
  textsInSight.delete(text);
}

function lookSoon(): void {
  lookTimer ??= setTimeout(look, restMs);
}

/** What was in sight a moment ago and is now has come to rest. */
function look(): void {
  lookTimer = null;
  const seen = [...textsInSight].flatMap(blocksInSight);
  const rested = seen.filter(({ element }) => seenLast.has(element));
  seenLast = new Set(seen.map(({ element }) => element));
  if (rested.length < seen.length) lookSoon();
  for (const [text, blocks] of unseen) {
    for (const { element } of rested) blocks.delete(element);
    if (blocks.size === 0) forget(text);
  }
  attend(rested);
}

interface ClosedBlock {
  readonly element: Element;
  readonly actions: MarkdownActions;
}

// From the end, where the newest text is: what is above the first one that is out of sight is too.
function blocksInSight(text: Element): readonly ClosedBlock[] {
  const seen: ClosedBlock[] = [];
  for (const [element, actions] of [...(unseen.get(text) ?? [])].reverse()) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom < 0) break;
    if (top <= window.innerHeight) seen.unshift({ element, actions });
  }
  return seen;
}

/** Everything that belongs to blocks that are seen. */
function attend(seen: readonly ClosedBlock[]): void {
  if (seen.length === 0) return;
  colourCode(seen.map(({ element }) => element));
  void withTools(({ linkNames }) => {
    for (const { element, actions } of seen) {
      dress(element);
      if (actions.references !== undefined) linkNames(element, actions.references);
    }
  });
}

/** Texts that the page has let go of: nobody is told when what was out of sight leaves it. */
function forgetGone(): void {
  for (const text of unseen.keys()) if (!text.isConnected) forget(text);
  for (const element of undressed.keys()) if (!element.isConnected) undressed.delete(element);
}

function dressUnseen(): void {
  quietTimer = null;
  forgetGone();
  void withTools(() => {
    const started = performance.now();
    for (const element of undressed.keys()) {
      if (performance.now() - started > sliceMs) {
        quietTimer ??= setTimeout(dressUnseen, 0);
        return;
      }
      dress(element);
    }
  });
}

function dress(element: Element): void {
  const actions = undressed.get(element);
  undressed.delete(element);
  if (actions !== undefined) loaded?.dressBlock(element, actions);
}

/** At once, where they are there. */
async function withTools(work: (module: typeof tools) => void): Promise<void> {
  if (loaded === null) await loadBlockTools();
  if (loaded !== null) work(loaded);
}
