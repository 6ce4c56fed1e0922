import { useRef } from 'preact/hooks';
import { t } from '../../localization';
import { gridKey } from '../state/gridKeys';
import type { TranscriptController } from '../state/transcriptController';
import { SegmentBorder, TurnBorder } from './Borders';
import { EmptyRows } from './EmptyRows';
import { Row } from './Row';
import { useKeptPlace, useRevealedRow } from './useKeptPlace';

/** The rows, and the borders between them. Loads more at both ends and keeps the reading position. */
export function Grid({ transcript }: { readonly transcript: TranscriptController }) {
  const entries = transcript.entries.value;
  const rows = transcript.rows.value;
  const scroller = useRef<HTMLDivElement>(null);
  const stored = transcript.stored.value;
  const loading = transcript.loading.value;
  const raw = transcript.raw.value;
  const { current: focused, uids } = transcript.actions.selection.value;
  const isAll = transcript.actions.selection.value.all;
  const revisions = transcript.actions.revisions.value;
  const rawRows = transcript.actions.rawRows.value;
  const found = transcript.find.current.value;
  const marked = transcript.marked.value;
  const current = rows.some(({ message }) => message.uid === focused) ? focused : (rows[0]?.message.uid ?? null);
  const onScroll = useKeptPlace(transcript, scroller);
  useRevealedRow(transcript);
  const edge = (label: string, act: () => Promise<void>) => (
    <button type="button" class="link-button" disabled={loading} onClick={() => void act()}>
      {label}
    </button>
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
          {edge(t('Go to the Beginning'), () => transcript.goToStart())}
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
          {edge(t('Go to the End'), () => transcript.goToEnd())}
        </p>
      )}
      {rows.length === 0 && <EmptyRows transcript={transcript} />}
    </div>
  );
}
