import { useEffect, useRef } from 'preact/hooks';
import { searchKinds, type SearchKind } from '../../protocol/searchProtocol';
import { t } from '../localization';
import type { SearchController } from './searchController';

/** Search text and options. Enter searches immediately, arrow down goes to the results, Escape stops the search or
 *  clears the field. */
export function SearchField({
  screen,
  toResults,
}: {
  readonly screen: SearchController;
  readonly toResults: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const asks = screen.asks.value;
  useEffect(() => {
    if (asks === 0 && screen.deps.recalled.active !== null) return;
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
          <button
            key={each}
            type="button"
            class={`toggle${kind === each ? ' on' : ''}`}
            aria-pressed={kind === each}
            title={kindHint(each)}
            onClick={() => screen.setKind(each)}
          >
            {kindWord(each)}
          </button>
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
