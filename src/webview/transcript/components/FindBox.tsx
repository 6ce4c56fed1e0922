import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { findHits, markHits, nextHit, scrollToRow } from '../find';
import type { TranscriptController } from '../transcriptController';

/** Finds text in the rows shown; Enter goes on, Shift+Enter back. */
export function FindBox({ transcript }: { readonly transcript: TranscriptController }) {
  const [wanted, setWanted] = useState('');
  const [current, setCurrent] = useState<string | null>(null);
  const rows = transcript.rows.value;
  const raw = transcript.raw.value;
  const hits = findHits(rows, wanted);
  useEffect(() => markHits(wanted), [wanted, rows, raw]);
  const go = (step: 1 | -1): void => {
    const uid = nextHit(hits, current, step);
    setCurrent(uid);
    if (uid !== null) scrollToRow(uid);
  };
  return (
    <div class="find" role="search">
      <input
        class="field find-field"
        type="text"
        aria-label={t('Find')}
        placeholder={t('Find')}
        value={wanted}
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          setCurrent(null);
        }}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Enter') {
            event.preventDefault();
            go(event.shiftKey ? -1 : 1);
          } else if (event.key === 'Escape') setWanted('');
        }}
      />
      <span class="find-count" role="status">{wanted === '' ? '' : countWords(hits, current)}</span>
      <button type="button" class="icon-button" disabled={hits.length === 0} title={t('Previous Match')} aria-label={t('Previous Match')} onClick={() => go(-1)}>
        <Icon name="arrow-up" />
      </button>
      <button type="button" class="icon-button" disabled={hits.length === 0} title={t('Next Match')} aria-label={t('Next Match')} onClick={() => go(1)}>
        <Icon name="arrow-down" />
      </button>
      {wanted !== '' && transcript.hasEarlier.value && (
        <button type="button" class="link-button" disabled={transcript.loading.value} onClick={() => void transcript.loadAll()}>
          {t('Earlier rows are not searched. Load All')}
        </button>
      )}
    </div>
  );
}

function countWords(hits: readonly string[], current: string | null): string {
  if (hits.length === 0) return t('No row matches');
  if (current !== null && hits.includes(current)) return t('{number} of {count} rows', { number: hits.indexOf(current) + 1, count: hits.length });
  return hits.length === 1 ? t('1 row') : t('{count} rows', { count: hits.length });
}
