import { useRef, useCallback, useEffect, useLayoutEffect } from 'preact/hooks';
import { LinkButton } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { everything, type TranscriptController, type TranscriptMemory } from '../state/transcriptController';
import { SegmentBorder, TurnBorder } from './Borders';
import { Row } from './Row';
import { scrollToRow } from '../state/find';

/** Distance from an end, in pixels, within which more is loaded. */
const loadAhead = 600;

/** The rows, and the borders between them. Loads more at both ends and keeps the reading position. */
export function Grid({ transcript }: { readonly transcript: TranscriptController }) {
  const entries = transcript.entries.value;
  const rows = transcript.rows.value;
  const scroller = useRef<HTMLDivElement>(null);
  const stored = transcript.stored.value;
  const loading = transcript.loading.value;
  const raw = transcript.raw.value;
  const { current: focused, uids, all: isAll } = transcript.actions.selection.value;
  const revisions = transcript.actions.revisions.value;
  const rawRows = transcript.actions.rawRows.value;
  const found = transcript.find.current.value;
  const marked = transcript.marked.value;
  const current = rows.some(({ message }) => message.uid === focused) ? focused : (rows[0]?.message.uid ?? null);
  const onScroll = useKeptPlace(transcript, scroller);
  useRevealedRow(transcript);
  const edge = (label: string, act: () => Promise<void>) => (
    <LinkButton label={label} disabled={loading} act={() => void act()} />
  );
  return (
    <div
      class="grid-scroller"
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={(event) => gridKey(event, scroller.current, transcript)}
    >
      {(stored?.earlier ?? 0) > 0 && (
        <p class="more">
          {edge(loading ? t('Loading earlier rows…') : t('Load Earlier Rows'), () => transcript.loadEarlier())}
          {edge(t('Go to the Beginning'), () => transcript.goTo('start'))}
        </p>
      )}
      {rows.length > 0 && (
        <div
          class="grid"
          role="grid"
          aria-label={t('Transcript')}
          aria-rowcount={(stored?.total ?? 0) + 1}
          aria-colcount={7}
          aria-readonly="true"
          aria-multiselectable="true"
          aria-busy={loading}
        >
          <div class="grid-head" role="row" aria-rowindex={1}>
            {[t('No.'), t('Role'), t('Time'), t('State'), t('Tokens'), t('Content')].map((name) => (
              <span role="columnheader" key={name}>
                {name}
              </span>
            ))}
            <span role="columnheader">
              <span class="visually-hidden">{t('Actions')}</span>
            </span>
          </div>
          {entries.map((entry) => {
            if (entry.kind === 'turn') return <TurnBorder key={entry.key} entry={entry} transcript={transcript} />;
            if (entry.kind === 'segment')
              return <SegmentBorder key={entry.key} entry={entry} transcript={transcript} />;
            const { uid } = entry.row.message;
            return (
              <Row
                key={entry.key}
                row={entry.row}
                raw={raw}
                isCurrent={uid === current}
                isSelected={isAll || uids.has(uid)}
                isMarked={uid === marked}
                isFound={uid === found}
                revisions={revisions.get(uid) ?? null}
                rawRow={rawRows.get(uid) ?? null}
                transcript={transcript}
              />
            );
          })}
        </div>
      )}
      {(stored?.later ?? 0) > 0 && (
        <p class="more">
          {edge(loading ? t('Loading later rows…') : t('Load Later Rows'), () => transcript.loadLater())}
          {edge(t('Go to the End'), () => transcript.goTo('end'))}
        </p>
      )}
      {rows.length === 0 && <EmptyRows transcript={transcript} />}
    </div>
  );
}

/** Says why there are no rows, and what the user can do about it. */
function EmptyRows({ transcript }: { readonly transcript: TranscriptController }) {
  const stored = transcript.stored.value;
  // The reason it could not be read is shown above.
  if (stored === null) return null;
  if (stored.total === 0) return <p class="grid-empty">{t('Nothing is stored in this session yet.')}</p>;
  return (
    <div class="grid-empty">
      <p>
        {stored.total === 1
          ? t('All rows are filtered out (1 row stored).')
          : t('All rows are filtered out ({count} rows stored).', { count: stored.total })}
      </p>
      <button type="button" class="button secondary" onClick={() => void transcript.setFilter(everything)}>
        {t('Clear Filters')}
      </button>
    </div>
  );
}

type Anchor = NonNullable<TranscriptMemory['anchor']>;

/** Scrolls a revealed row into view. */
function useRevealedRow(transcript: TranscriptController): void {
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
function useKeptPlace(
  transcript: TranscriptController,
  scroller: { readonly current: HTMLDivElement | null },
): () => void {
  const rows = transcript.rows.value;
  const place = useRef(transcript.anchor.peek());
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
      transcript.anchor.value = atEnd.current ? null : place.current;
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

/** Handles keys in the list when a row itself has the focus. Keys inside a row's content are left alone. */
function gridKey(event: KeyboardEvent, scroller: HTMLElement | null, transcript: TranscriptController): void {
  const rows = scroller === null ? [] : rowElements(scroller);
  const at = rows.findIndex((row) => row === event.target);
  const row = rows[at];
  const uid = row?.dataset['uid'];
  if (row === undefined || uid === undefined) return;
  if (moves(event, rows, at, transcript) || acts(event, row, uid, transcript)) event.preventDefault();
}

function moves(
  event: KeyboardEvent,
  rows: readonly HTMLElement[],
  at: number,
  { actions }: TranscriptController,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  const uid = next?.dataset['uid'];
  if (next === undefined || uid === undefined) return false;
  // Before focusing: a row that gets the focus becomes the only selected one unless it is selected already.
  if (event.shiftKey) actions.extend(uid);
  else actions.select(uid);
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

/** Returns true when the key was handled. */
function acts(
  event: KeyboardEvent,
  row: HTMLElement,
  uid: string,
  { actions, rows, origin }: TranscriptController,
): boolean {
  const isCommand = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.altKey) return false;
  if (isCommand && key === 'a') actions.selectAll();
  else if (isCommand && key === 'c' && (getSelection()?.toString() ?? '') === '') actions.copy('markdown', uid);
  else if (isCommand && key === 'enter' && origin.peek()?.file === null)
    actions.openInChat(rows.peek().find(({ message }) => message.uid === uid)?.message ?? null);
  else if (isCommand) return false;
  else if (key === 'enter') void actions.toggleRaw(uid);
  else if (key === 'escape' && actions.selectedCount.peek() > 1) actions.selectNothing();
  else if (key === 'contextmenu' || (event.shiftKey && key === 'f10')) {
    const { left, top } = row.getBoundingClientRect();
    actions.menu.value = { uid, x: left + 40, y: Math.max(0, top) + 24 };
  } else return false;
  return true;
}
