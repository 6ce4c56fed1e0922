import type { MarkdownActions } from './markdownActions';
import type * as tools from './blockTools';
import { colourCode } from './codeColours';

/** Milliseconds that a block has to stay in sight before anything is done with it: what streams or scrolls past is not worth the work. */
const restMs = 150;
/** Milliseconds without a block being closed, behind which those that nobody saw get what belongs to them too. */
const quietMs = 400;
/** Milliseconds of such work after which keys and frames have their turn. */
const sliceMs = 8;

let loaded: typeof tools | null = null;
let loading: Promise<void> | null = null;
/** Closed blocks that nobody saw yet. */
const unseen = new Map<Element, MarkdownActions>();
/** Closed blocks that have no tools yet. */
const undressed = new Map<Element, MarkdownActions>();
const closed = new WeakSet<Element>();
/** Blocks that are not observed yet. */
let fresh: Element[] = [];
const inSight = new Set<Element>();
let observer: IntersectionObserver | null = null;
let restTimer: ReturnType<typeof setTimeout> | null = null;
let quietTimer: ReturnType<typeof setTimeout> | null = null;

/** Nothing will be added to a block. Once it rests in sight its code is coloured and its names become links; what can be done with its code is put to it
 *  then too, or when the page is quiet. Where nobody can tell what is seen, at once. */
export function blockClosed(element: Element, actions: MarkdownActions): void {
  if (closed.has(element)) return;
  closed.add(element);
  undressed.set(element, actions);
  unseen.set(element, actions);
  if (typeof IntersectionObserver === 'undefined') return attend([element]);
  if (fresh.push(element) === 1) setTimeout(observeFresh, restMs);
  if (quietTimer !== null) clearTimeout(quietTimer);
  quietTimer = setTimeout(dressUnseen, quietMs);
}

/** What was put to a block is gone: it was drawn anew. */
export function blockFilled(element: Element): void {
  if (closed.delete(element)) observer?.unobserve(element);
  for (const known of [unseen, undressed, inSight]) known.delete(element);
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

// Together and between two frames: observing has the page laid out where that is due.
function observeFresh(): void {
  observer ??= new IntersectionObserver(noteSight);
  for (const element of fresh) {
    if (element.isConnected && unseen.has(element)) observer.observe(element);
    else unseen.delete(element);
  }
  fresh = [];
}

function noteSight(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) inSight.add(target);
    else inSight.delete(target);
    if (target.isConnected) continue;
    observer?.unobserve(target);
    unseen.delete(target);
  }
  if (restTimer !== null) clearTimeout(restTimer);
  restTimer = inSight.size === 0 ? null : setTimeout(attendSeen, restMs);
}

function attendSeen(): void {
  restTimer = null;
  const seen = [...inSight];
  inSight.clear();
  for (const element of seen) observer?.unobserve(element);
  attend(seen);
}

/** Everything that belongs to blocks that are seen. */
function attend(blocks: readonly Element[]): void {
  const seen = blocks.flatMap((element) => {
    const actions = unseen.get(element);
    unseen.delete(element);
    return actions === undefined || (observer !== null && !element.isConnected) ? [] : [{ element, actions }];
  });
  colourCode(seen.map(({ element }) => element));
  void withTools(({ linkNames }) => {
    for (const { element, actions } of seen) {
      dress(element);
      if (actions.references !== undefined) linkNames(element, actions.references);
    }
  });
}

function dressUnseen(): void {
  quietTimer = null;
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
