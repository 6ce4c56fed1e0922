import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import { scrollToRow } from '../find';
import type { TranscriptController } from '../transcriptController';
import type { TranscriptMemory } from '../transcriptMemory';
import { Row } from './Row';

type Anchor = NonNullable<TranscriptMemory['anchor']>;

/** The rows. At its start the earlier ones are loaded; the place one reads at stays where it is. */
export function Grid({ transcript }: { readonly transcript: TranscriptController }) {
  const rows = transcript.rows.value;
  const scroller = useRef<HTMLDivElement>(null);
  const hasEarlier = transcript.hasEarlier.value;
  const loading = transcript.loading.value;
  const raw = transcript.raw.value;
  const total = transcript.stored.value?.total ?? 0;
  const hasLater = transcript.hasLater.value;
  const selected = transcript.selected.value;
  const revisions = transcript.revisions.value;
  const current = rows.some(({ message }) => message.uid === selected) ? selected : (rows[0]?.message.uid ?? null);
  const onScroll = useKeptPlace(transcript, scroller);
  useRevealedRow(transcript);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = rowAfter(scroller.current, event);
    if (next === null) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div class="grid-scroller" ref={scroller} onScroll={onScroll} onKeyDown={onKeyDown}>
      {hasEarlier && (
        <button type="button" class="link-button earlier" disabled={loading} onClick={() => void transcript.loadEarlier()}>
          {loading ? t('Loading earlier rows…') : t('Load Earlier Rows')}
        </button>
      )}
      <div class="grid" role="grid" aria-label={t('Transcript')} aria-rowcount={total} aria-readonly="true" aria-busy={loading}>
        <div class="grid-head" role="row">
          {[t('No.'), t('Role'), t('Time'), t('State'), t('Tokens'), t('Content')].map((name) => <span role="columnheader" key={name}>{name}</span>)}
        </div>
        {rows.map((row) => (
          <Row
            key={row.message.uid}
            row={row}
            raw={raw}
            isCurrent={row.message.uid === current}
            isSelected={row.message.uid === selected}
            revisions={revisions.get(row.message.uid) ?? null}
            transcript={transcript}
          />
        ))}
      </div>
      {hasLater && (
        <p class="later">
          <button type="button" class="link-button" disabled={loading} onClick={() => void transcript.loadLater()}>
            {loading ? t('Loading later rows…') : t('Load Later Rows')}
          </button>
          <button type="button" class="link-button" disabled={loading} onClick={() => void transcript.goToEnd()}>{t('Go to the End')}</button>
        </p>
      )}
      {rows.length === 0 && <p class="grid-empty">{total === 0 ? t('Nothing is stored in this session yet.') : t('All rows are filtered out.')}</p>}
    </div>
  );
}

/** The row that a key leads to from the one that has the focus itself; keys inside of a row's content are its own. */
function rowAfter(scroller: HTMLElement | null, event: KeyboardEvent): HTMLElement | null {
  if (scroller === null || event.ctrlKey || event.metaKey || event.altKey) return null;
  const rows = rowElements(scroller);
  const at = rows.findIndex((row) => row === event.target);
  if (at === -1) return null;
  switch (event.key) {
    case 'ArrowDown':
      return rows[at + 1] ?? null;
    case 'ArrowUp':
      return rows[at - 1] ?? null;
    case 'Home':
      return rows[0] ?? null;
    case 'End':
      return rows.at(-1) ?? null;
    default:
      return null;
  }
}

function useRevealedRow(transcript: TranscriptController): void {
  const uid = transcript.revealed.value;
  const rows = transcript.rows.value;
  useEffect(() => {
    if (uid === null || !rows.some(({ message }) => message.uid === uid)) return;
    scrollToRow(uid);
    transcript.selected.value = uid;
    transcript.revealed.value = null;
  }, [uid, rows]);
}

/** Begins at the end or where the tab was left, stays at the place read while rows come in front, and fetches them when the start is near. */
function useKeptPlace(transcript: TranscriptController, scroller: { readonly current: HTMLDivElement | null }): () => void {
  const rows = transcript.rows.value;
  const place = useRef<Anchor | null>(transcript.place);
  const atEnd = useRef(place.current === null);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    if (atEnd.current && !transcript.hasLater.peek()) element.scrollTop = element.scrollHeight;
    else if (place.current !== null) moveTo(element, place.current);
  }, [rows]);
  return useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const below = element.scrollHeight - element.clientHeight - element.scrollTop;
    atEnd.current = below <= 10 && !transcript.hasLater.peek();
    place.current = firstInSight(element);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      transcript.rememberPlace(atEnd.current ? null : place.current);
    }, 150);
    if (element.scrollTop < 200) void transcript.loadEarlier();
    else if (below < 200) void transcript.loadLater();
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
  if (row !== undefined) scroller.scrollTop += row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - anchor.offset;
}
