/** Distance from the viewport beyond which an element skips layout and paint: a little further than browsers render
 *  in advance. */
const farMargin = '160%';

let observer: IntersectionObserver | null = null;

/** Skips layout and paint for finished elements more than 1.6 viewports away. Otherwise rendering below a long
 *  conversation, or typing, would pay for all of it. The browser remembers their height (`contain-intrinsic-size:
 *  auto`), so nothing moves; elements in view are unchanged. */
export function skipWhenFar(element: Element): void {
  if (typeof IntersectionObserver === 'undefined') return;
  if (observer === null) window.addEventListener('resize', layOutAgain);
  observer ??= new IntersectionObserver(noteFar, { scrollMargin: farMargin });
  observer.observe(element);
}

function noteFar(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting, boundingClientRect } of entries) {
    if (!target.isConnected) observer?.unobserve(target);
    // A hidden element has no height to remember.
    target.classList.toggle('offscreen', !isIntersecting && boundingClientRect.height > 0);
  }
}

/** Lays the elements out again: at another width they have other heights. */
function layOutAgain(): void {
  for (const element of document.querySelectorAll('.offscreen')) {
    element.classList.remove('offscreen');
    observer?.unobserve(element);
    skipWhenFar(element);
  }
}
