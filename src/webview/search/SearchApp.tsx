import { useEffect, useRef } from 'preact/hooks';
import { t } from '../localization';
import type { SearchController } from './searchController';
import { indexText, statusText } from './searchLabels';
import { Results } from './Results';
import { focusResult } from './resultFocus';
import { SearchField } from './SearchField';
import { SearchProgressLine } from './SearchProgressLine';

export function SearchApp({ screen }: { readonly screen: SearchController }) {
  const results = useRef<HTMLDivElement>(null);
  const restored = useRef(false);
  const found = screen.found.value;
  useEffect(() => {
    if (found === null || restored.current) return;
    restored.current = true;
    const { active } = screen.deps.recalled;
    if (active !== null && screen.asks.peek() === 0) focusResult(results.current, active);
  }, [found]);
  if (!screen.ready.value) return <div class="progress" role="progressbar" aria-label={t('Opening…')} />;
  const status = screen.status.value;
  const problem = screen.problem.value;
  const index = found === null ? null : indexText(found.indexLeft);
  const isStale = found !== null && (status === 'typing' || status === 'searching' || status === 'stopped');
  return (
    <main class="search">
      <header class="search-head">
        <h1 class="search-title">{t('Search Sessions')}</h1>
        <SearchField screen={screen} toResults={() => focusResult(results.current, screen.active.peek())} />
        <SearchProgressLine screen={screen} />
        <p class="search-status" role="status">
          {statusText(status, found, screen.groups.value.length)}
        </p>
        {index !== null && <p class="search-note">{index}</p>}
      </header>
      {problem !== null && (
        <div class="notice notice-error search-problem">
          <div class="notice-body">
            <span role="alert">{problem}</span>
            {status === 'failed' && (
              <span class="notice-actions">
                <button type="button" class="button compact secondary" onClick={() => screen.tryAgain()}>
                  {t('Try Again')}
                </button>
              </span>
            )}
          </div>
        </div>
      )}
      <div class={`results-scroller${isStale ? ' stale' : ''}`} ref={results} aria-busy={status === 'searching'}>
        {found !== null && <Results screen={screen} found={found} />}
      </div>
    </main>
  );
}
