import { t } from '../../localization';
import type { TranscriptController } from '../state/transcriptController';

/** Says why there are no rows, and what the user can do about it. */
export function EmptyRows({ transcript }: { readonly transcript: TranscriptController }) {
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
      <button type="button" class="button secondary" onClick={() => void transcript.clearFilters()}>
        {t('Clear Filters')}
      </button>
    </div>
  );
}
