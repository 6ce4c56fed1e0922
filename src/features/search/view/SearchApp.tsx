import { useEffect, useRef } from 'preact/hooks';
import { Button, Toggle } from '../../../webview/buttons';
import { t } from '../../../webview/localization';
import type { SearchController } from './searchController';
import { indexText, statusText, progressText } from './searchLabels';
import { Results, focusResult } from './Results';
import { searchKinds, type SearchKind } from '../protocol/searchProtocol';

export function SearchApp({ screen }: { readonly screen: SearchController }) {
  const results = useRef<HTMLDivElement>(null);
  const restored = useRef(false);
  const found = screen.found.value;
  useEffect(() => {
    if (found === null || restored.current) return;
    restored.current = true;
    const { active } = screen.recalled;
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
                <Button label={t('Try Again')} act={() => screen.tryAgain()} />
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

/** Progress of a scan, with a button to stop it. Shown only while rows are read one by one. */
function SearchProgressLine({ screen }: { readonly screen: SearchController }) {
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
      <Button label={t('Cancel')} act={() => screen.stop()} />
    </div>
  );
}

/** Search text and options. Enter searches immediately, arrow down goes to the results, Escape stops the search or
 *  clears the field. */
function SearchField({ screen, toResults }: { readonly screen: SearchController; readonly toResults: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const asks = screen.asks.value;
  useEffect(() => {
    if (asks === 0 && screen.recalled.active !== null) return;
    field.current?.focus();
    field.current?.select();
  }, [asks]);
  const kind = screen.kind.value;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter') void screen.search();
    else if (event.key === 'ArrowDown') toResults();
    else if (event.key === 'Escape' && screen.status.peek() === 'searching') screen.stop();
    else if (event.key === 'Escape') screen.setText('');
    else return;
    event.preventDefault();
  };
  return (
    <div class="search-bar" role="search">
      <input
        ref={field}
        id="search-field"
        class="field search-field"
        type="text"
        aria-label={t('Search all sessions')}
        placeholder={t('Search all sessions')}
        maxLength={1000}
        spellcheck={false}
        value={screen.text.value}
        onInput={(event) => screen.setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="toggle-group" role="group" aria-label={t('Match')}>
        {searchKinds.map((each) => (
          <Toggle
            key={each}
            on={kind === each}
            label={kindWord(each)}
            title={kindHint(each)}
            act={() => screen.setKind(each)}
          />
        ))}
      </div>
    </div>
  );
}

function kindWord(kind: SearchKind): string {
  return kind === 'words' ? t('Words') : t('Contains');
}

function kindHint(kind: SearchKind): string {
  return kind === 'words'
    ? t('Messages with these words, in any order')
    : t('Messages with exactly this text, including parts of words. Slower, because every message is read.');
}
