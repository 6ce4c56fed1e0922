import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { markHits } from '../state/find';
import type { TranscriptController } from '../state/transcriptController';

/** A newly opened tab gets keyboard input, but no element in it has the focus: then the field takes it. Never steals
 *  the focus, and selects no row. The returned function undoes this. */
function takeFirstFocus(field: HTMLElement | null): () => void {
  const take = (): void => {
    if (document.hasFocus() && (document.activeElement === null || document.activeElement === document.body))
      field?.focus();
  };
  take();
  window.addEventListener('focus', take, { once: true });
  return () => window.removeEventListener('focus', take);
}

/** Finds text in every stored row that passes the filter; Enter goes to the next match, Shift+Enter to the previous
 *  one. */
export function FindBox({ transcript }: { readonly transcript: TranscriptController }) {
  const { find } = transcript;
  const text = find.text.value;
  const matchCase = find.matchCase.value;
  const hits = find.hits.value;
  const current = find.current.value;
  const entries = transcript.entries.value;
  const raw = transcript.raw.value;
  const total = transcript.stored.value?.matching ?? 0;
  useEffect(() => markHits(text, matchCase), [text, matchCase, entries, raw, current]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => takeFirstFocus(field.current), []);
  const isEmpty = hits === null || hits.length === 0;
  return (
    <div class="find" role="search">
      <div class="find-input">
        <input
          ref={field}
          class="field find-field"
          type="text"
          aria-label={t('Find')}
          placeholder={t('Find in every stored row')}
          value={text}
          onInput={(event) => find.type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === 'Enter') {
              event.preventDefault();
              void find.go(event.shiftKey ? -1 : 1);
            } else if (event.key === 'Escape') find.type('');
          }}
        />
        <IconButton
          icon="case-sensitive"
          label={t('Match Case')}
          class={`find-case${matchCase ? ' on' : ''}`}
          aria-pressed={matchCase}
          act={() => find.setMatchCase(!matchCase)}
        />
      </div>
      <span class="find-count" role="status">
        {text === '' ? '' : countText(hits, current, total, find.progress.value)}
      </span>
      <IconButton icon="arrow-up" label={t('Previous Match')} disabled={isEmpty} act={() => void find.go(-1)} />
      <IconButton icon="arrow-down" label={t('Next Match')} disabled={isEmpty} act={() => void find.go(1)} />
    </div>
  );
}

function countText(
  hits: readonly string[] | null,
  current: string | null,
  total: number,
  progress: { readonly done: number; readonly total: number } | null,
): string {
  if (progress !== null) return t('Searching… {done} of {total} rows', { done: progress.done, total: progress.total });
  if (hits === null) return '';
  if (hits.length === 0) return t('No matching rows');
  if (current !== null && hits.includes(current))
    return t('{number} of {count} rows', { number: hits.indexOf(current) + 1, count: hits.length });
  return t('{count} of {total} rows', { count: hits.length, total });
}
