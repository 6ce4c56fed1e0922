import { searchableText, type TranscriptRow } from './transcriptRows';

/** uids of the rows that hold the text, whatever its case. */
export function findHits(rows: readonly TranscriptRow[], wanted: string): readonly string[] {
  const needle = wanted.toLocaleLowerCase();
  if (needle === '') return [];
  return rows.filter(({ message }) => searchableText(message).toLocaleLowerCase().includes(needle)).map(({ message }) => message.uid);
}

/** The row after (or before) the current one, around the end. */
export function nextHit(hits: readonly string[], current: string | null, step: 1 | -1): string | null {
  const at = current === null ? -1 : hits.indexOf(current);
  const next = at === -1 ? (step === 1 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length;
  return hits[next] ?? null;
}

export function scrollToRow(uid: string): void {
  const row = [...document.querySelectorAll<HTMLElement>('[role=row][data-uid]')].find((element) => element.dataset['uid'] === uid);
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}

const highlightName = 'find';

/** Marks the text where it is drawn, without touching the rows' elements. Undone by the returned function. */
export function markHits(wanted: string): () => void {
  if (wanted === '' || typeof Highlight === 'undefined') return () => undefined;
  const needle = wanted.toLocaleLowerCase();
  const walker = document.createTreeWalker(document.querySelector('[role=grid]') ?? document.body, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLocaleLowerCase();
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
