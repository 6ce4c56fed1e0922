import type * as formulas from './formulas';
import { colourCode } from './codeColours';
import type { MarkdownActions } from './markdownActions';
import { linkNames } from './references';
import { showInvisible } from '../../transcript/text/invisibleCharacters';
import { addCodeToolbar } from './codeToolbar';

const address = /^\s*(?:https?:\/\/)?(?:www\.)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#]|\s*$)/iu;

/** Milliseconds that a block must stay in view before it gets tools: streaming or quickly scrolled text is not worth
 *  the work. */
const restMs = 200;

/** Milliseconds without a block being closed, after which blocks the user has not seen get their tools too. */
const quietMs = 400;

/** Maximum milliseconds of such work before yielding to keys and frames. */
const sliceMs = 8;

const closed = new WeakSet<Element>();

/** Closed blocks that have no tools yet. */
const undressed = new Map<Element, MarkdownActions>();

/** Closed blocks the user has not seen yet, by their text, in order. */
const unseen = new Map<Element, Map<Element, MarkdownActions>>();

/** Visible texts that contain such blocks. */
const textsInSight = new Set<Element>();

/** Blocks visible at the last check. */
let seenLast: ReadonlySet<Element> = new Set();

let observer: IntersectionObserver | null = null;

let lookTimer: ReturnType<typeof setTimeout> | null = null;

let quietTimer: ReturnType<typeof setTimeout> | null = null;

/** Takes a closed block. Its math becomes formulas at once. Once it stays in view, its code is highlighted and its
 *  names become links. Its tools are added then too, or when the page is quiet. Without IntersectionObserver, all of
 *  this happens immediately. */
export function takeBlock(element: Element, actions: MarkdownActions): void {
  const text = element.parentElement;
  if (closed.has(element) || text === null) return;
  closed.add(element);
  undressed.set(element, actions);
  showFormulas(element);
  if (typeof IntersectionObserver === 'undefined') return attend([{ element, actions }]);
  const blocks = unseen.get(text) ?? watched(text);
  blocks.set(element, actions);
  if (textsInSight.has(text)) checkSoon();
  if (quietTimer !== null) clearTimeout(quietTimer);
  quietTimer = setTimeout(decoratePending, quietMs);
}

/** Forgets a block that renders again. Returns false when it was not taken, and so nothing was added to it. */
export function releaseBlock(element: Element): boolean {
  if (!closed.delete(element)) return false;
  undressed.delete(element);
  for (const blocks of unseen.values()) blocks.delete(element);
  return true;
}

// Observe whole texts and measure their blocks only while the text is visible: each observed element costs time in
// every frame.
function watched(text: Element): Map<Element, MarkdownActions> {
  if (observer === null)
    document.addEventListener('scroll', () => textsInSight.size > 0 && checkSoon(), { capture: true, passive: true });
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
  if (textsInSight.size > 0) checkSoon();
}

function forget(text: Element): void {
  observer?.unobserve(text);
  unseen.delete(text);
  textsInSight.delete(text);
}

function checkSoon(): void {
  lookTimer ??= setTimeout(check, restMs);
}

/** Finds blocks that were visible a moment ago and still are: they have come to rest. */
function check(): void {
  lookTimer = null;
  const seen = [...textsInSight].flatMap(blocksInSight);
  const rested = seen.filter(({ element }) => seenLast.has(element));
  seenLast = new Set(seen.map(({ element }) => element));
  if (rested.length < seen.length) checkSoon();
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

// From the end, where the newest text is: everything above the first block out of view is out of view too.
function blocksInSight(text: Element): readonly ClosedBlock[] {
  const seen: ClosedBlock[] = [];
  for (const [element, actions] of [...(unseen.get(text) ?? [])].reverse()) {
    const { top, bottom } = element.getBoundingClientRect();
    if (bottom < 0) break;
    if (top <= window.innerHeight) seen.unshift({ element, actions });
  }
  return seen;
}

/** Highlights, links and tools for visible blocks. */
function attend(seen: readonly ClosedBlock[]): void {
  if (seen.length === 0) return;
  colourCode(seen.map(({ element }) => element));
  for (const { element, actions } of seen) {
    dress(element);
    if (actions.references !== undefined) linkNames(element, actions.references);
  }
}

/** Forgets texts removed from the page: the observer does not report the removal of an element that was out of view. */
function forgetGone(): void {
  for (const text of unseen.keys()) if (!text.isConnected) forget(text);
  for (const element of undressed.keys()) if (!element.isConnected) undressed.delete(element);
}

function decoratePending(): void {
  quietTimer = null;
  forgetGone();
  const started = performance.now();
  for (const element of undressed.keys()) {
    if (performance.now() - started > sliceMs) {
      quietTimer ??= setTimeout(decoratePending, 0);
      return;
    }
    dress(element);
  }
}

function dress(element: Element): void {
  const actions = undressed.get(element);
  undressed.delete(element);
  if (actions !== undefined) addBlockTools(element, actions);
}

/** Adds tools to a closed block. Its text stays exactly as it is; CSS renders the icons. */
export function addBlockTools(block: Element, actions: MarkdownActions): void {
  for (const pre of block.querySelectorAll<HTMLPreElement>('.code-block > pre')) addCodeToolbar(pre, actions);
  for (const link of block.querySelectorAll<HTMLElement>('a[data-href]')) showTarget(link);
  for (const code of block.querySelectorAll<HTMLElement>(':not(pre) > code')) showInvisibleIn(code);
}

/** Shows the real target of a link: in its title with hidden characters written out, and after it if its text looks
 *  like another address. */
function showTarget(link: HTMLElement): void {
  const host = disguisedHost(link.dataset['href'] ?? '', link.textContent ?? '');
  if (host !== null) link.dataset['host'] = host;
  link.title = showInvisible(link.title);
}

function showInvisibleIn(code: HTMLElement): void {
  const text = code.textContent ?? '';
  const plain = showInvisible(text);
  if (plain !== text) code.title = plain;
}

/** Returns the real host of a web link when its text is misleading: it looks like another address, the address
 *  contains a name and a password, or the host uses look-alike letters. Else null. */
export function disguisedHost(href: string, text: string): string | null {
  if (!/^https?:/i.test(href) || !URL.canParse(href)) return null;
  const { host, hostname, username, password } = new URL(href);
  if (username !== '' || password !== '' || /(?:^|\.)xn--/.test(hostname)) return host;
  const shown = address.exec(text)?.[1]?.toLowerCase();
  return shown === undefined || shown === hostname.replace(/^www\./, '') ? null : host;
}

let loaded: typeof formulas | null = null;
let loading: Promise<void> | null = null;
/** Math that is still shown as its source. */
const due = new Set<HTMLElement>();
let timer: ReturnType<typeof setTimeout> | null = null;

/** Shows the math of a closed block as formulas: at once when the program for it is loaded, so that the block does not
 *  change its height later. The first math of a page loads it. */
function showFormulas(block: Element): void {
  for (const math of block.querySelectorAll<HTMLElement>('.math, .math-block'))
    if (math.shadowRoot === null) due.add(math);
  if (due.size > 0 && timer === null) showDue();
}

function showDue(): void {
  timer = null;
  if (loaded === null) return void load().then(() => loaded !== null && showDue());
  const started = performance.now();
  for (const math of due) {
    if (performance.now() - started > sliceMs) {
      timer ??= setTimeout(showDue, 0);
      return;
    }
    due.delete(math);
    if (math.isConnected) loaded.showFormula(math);
  }
}

/** Loads once; after a failure the next math retries. Until then math stays source. */
function load(): Promise<void> {
  return (loading ??= import('./formulas').then(
    async (module) => {
      await module.prepareFormulas();
      loaded = module;
    },
    () => {
      loading = null;
      due.clear();
    },
  ));
}
