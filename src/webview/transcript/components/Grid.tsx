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
  const onScroll = useKeptPlace(transcript, scroller);
  useRevealedRow(transcript);
  return (
    <div class="grid-scroller" ref={scroller} onScroll={onScroll} tabIndex={0}>
      {hasEarlier && (
        <button type="button" class="link-button earlier" disabled={loading} onClick={() => void transcript.loadEarlier()}>
          {loading ? t('Loading earlier rows…') : t('Load Earlier Rows')}
        </button>
      )}
      <div class="grid" role="grid" aria-label={t('Transcript')} aria-rowcount={total} aria-readonly="true" aria-busy={loading}>
        <div class="grid-head" role="row">
          {[t('No.'), t('Role'), t('Time'), t('State'), t('Tokens'), t('Content')].map((name) => <span role="columnheader" key={name}>{name}</span>)}
        </div>
        {rows.map((row) => <Row key={row.message.uid} row={row} raw={raw} markdown={transcript.markdown} />)}
      </div>
      {rows.length === 0 && <p class="grid-empty">{total === 0 ? t('Nothing is stored in this session yet.') : t('All rows are filtered out.')}</p>}
    </div>
  );
}

function useRevealedRow(transcript: TranscriptController): void {
  const uid = transcript.revealed.value;
  const rows = transcript.rows.value;
  useEffect(() => {
    if (uid === null || !rows.some(({ message }) => message.uid === uid)) return;
    scrollToRow(uid);
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
    if (atEnd.current) element.scrollTop = element.scrollHeight;
    else if (place.current !== null) moveTo(element, place.current);
  }, [rows]);
  return useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    atEnd.current = element.scrollHeight - element.clientHeight - element.scrollTop <= 10;
    place.current = firstInSight(element);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      transcript.rememberPlace(atEnd.current ? null : place.current);
    }, 150);
    if (element.scrollTop < 200) void transcript.loadEarlier();
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
