/** How far from what is seen an element rests: a little further than the browser draws ahead. */
const farMargin = '160%';

let observer: IntersectionObserver | null = null;

/** While it is far from what is seen, an element whose content is done with is neither laid out nor painted: what is drawn below a long conversation, or
 *  typed, does not pay for all of it. The browser remembers the height that it had (`contain-intrinsic-size: auto`), so nothing moves; in sight it is
 *  what it always was. */
export function restWhenFar(element: Element): void {
  if (typeof IntersectionObserver === 'undefined') return;
  if (observer === null) window.addEventListener('resize', layOutAgain);
  observer ??= new IntersectionObserver(noteFar, { scrollMargin: farMargin });
  observer.observe(element);
}

function noteFar(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    if (!target.isConnected) observer?.unobserve(target);
    // What is hidden has no height to be remembered.
    target.classList.toggle('resting', !isIntersecting && boundingClientRect.height > 0);
  }
}

/** In another width they have other heights. */
function layOutAgain(): void {
  for (const element of document.querySelectorAll('.resting')) {
    element.classList.remove('resting');
    observer?.unobserve(element);
    restWhenFar(element);
  }
}
