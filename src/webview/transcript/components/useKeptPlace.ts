import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { scrollToRow } from '../state/find';
import type { TranscriptController } from '../state/transcriptController';
import type { TranscriptMemory } from '../state/transcriptMemory';

type Anchor = NonNullable<TranscriptMemory['anchor']>;

/** Distance from an end, in pixels, within which more is loaded. */
const loadAhead = 600;

/** Scrolls a revealed row into view. */
export function useRevealedRow(transcript: TranscriptController): void {
  const revealed = transcript.revealed.value;
  const rows = transcript.rows.value;
  useEffect(() => {
    if (revealed === null || !rows.some(({ message }) => message.uid === revealed.uid)) return;
    scrollToRow(revealed.uid, revealed.focus);
    transcript.actions.select(revealed.uid);
    transcript.revealed.value = null;
  }, [revealed, rows]);
}

/** Begins at the end or where the user left the tab. Keeps the reading position while rows are loaded and evicted
 *  around it. Fetches more near an end. */
export function useKeptPlace(
  transcript: TranscriptController,
  scroller: { readonly current: HTMLDivElement | null },
): () => void {
  const rows = transcript.rows.value;
  const place = useRef<Anchor | null>(transcript.place);
  const atEnd = useRef(place.current === null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const hasLater = (): boolean => (transcript.stored.peek()?.later ?? 0) > 0;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (atEnd.current && !hasLater()) element.scrollTop = element.scrollHeight;
    else if (place.current !== null) moveTo(element, place.current);
  }, [rows]);
  return useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const below = element.scrollHeight - element.clientHeight - element.scrollTop;
    atEnd.current = below <= 10 && !hasLater();
    place.current = firstInSight(element);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      transcript.rememberPlace(atEnd.current ? null : place.current);
    }, 150);
    if (element.scrollTop < loadAhead) void transcript.loadEarlier();
    else if (below < loadAhead) void transcript.loadLater();
  }, [transcript]);
}

function rowElements(scroller: HTMLElement): readonly HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>('[role=row][data-uid]')];
}

function firstInSight(scroller: HTMLElement): Anchor | null {
  const top = scroller.getBoundingClientRect().top;
  const row = rowElements(scroller).find((element) => element.getBoundingClientRect().bottom > top);
  const uid = row?.dataset['uid'];
  return row === undefined || uid === undefined ? null : { uid, offset: row.getBoundingClientRect().top - top };
}

function moveTo(scroller: HTMLElement, anchor: Anchor): void {
  const row = rowElements(scroller).find((element) => element.dataset['uid'] === anchor.uid);
  if (row !== undefined)
    scroller.scrollTop += row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - anchor.offset;
}
