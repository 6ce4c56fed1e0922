/** Returns the row after (or before) the current one; wraps around at the ends. */
export function nextHit(hits: readonly string[], current: string | null, step: 1 | -1): string | null {
  const at = current === null ? -1 : hits.indexOf(current);
  const next = at === -1 ? (step === 1 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length;
  return hits[next] ?? null;
}

export function rowElement(uid: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>('[role=row][data-uid]')].find(
    (element) => element.dataset['uid'] === uid,
  );
}

/** `focus`: focuses the row. */
export function scrollToRow(uid: string, focus: boolean): void {
  const row = rowElement(uid);
  const scroller = row?.closest('.grid-scroller');
  if (row === undefined || scroller === null || scroller === undefined) return;
  // A row taller than the view is shown from its beginning.
  row.scrollIntoView({ block: row.offsetHeight > scroller.clientHeight * 0.8 ? 'start' : 'center' });
  if (focus) row.focus({ preventScroll: true });
}

const highlightName = 'find';

/** Highlights the rendered matches without touching the rows' elements. The returned function undoes this. */
export function markHits(wanted: string, matchCase: boolean): () => void {
  if (wanted === '' || typeof Highlight === 'undefined') return () => undefined;
  const folded = (text: string): string => (matchCase ? text : text.toLocaleLowerCase());
  const needle = folded(wanted);
  const walker = document.createTreeWalker(
    document.querySelector('[role=grid]') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = folded(node.textContent ?? '');
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      // Lower case may be longer than the text itself; a mark past the end would throw.
      if (at + needle.length > (node.textContent ?? '').length) break;
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set(highlightName, new Highlight(...ranges));
  return () => CSS.highlights.delete(highlightName);
}
