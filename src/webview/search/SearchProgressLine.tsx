import { t } from '../localization';
import type { SearchController } from './searchController';
import { progressText } from './searchLabels';

/** Progress of a scan, with a button to stop it. Shown only while rows are read one by one. */
export function SearchProgressLine({ screen }: { readonly screen: SearchController }) {
  const progress = screen.progress.value;
  if (progress === null || (screen.status.value !== 'searching' && !screen.loadingMore.value)) return null;
  const text = progressText(progress);
  return (
    <div class="search-progress">
      <progress
        class="search-bar-progress"
        aria-label={t('Searching')}
        aria-valuetext={text}
        max={progress.total}
        value={progress.done}
      />
      <span class="search-note">{text}</span>
      <button type="button" class="button compact secondary" onClick={() => screen.stop()}>
        {t('Cancel')}
      </button>
    </div>
  );
}
