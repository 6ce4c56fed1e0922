import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../buttons';
import { pageLanguage, t } from '../../localization';
import type { FindState } from './conversationFind';
import { useLasting } from '../common/hooks';
import type { Find } from './useFind';

const toggleClass = (on: boolean): string => (on ? 'find-toggle on' : 'find-toggle');

/** Find bar above the conversation: the search text, the number of matches, and buttons to move between them. */
export function FindBar({ find }: { readonly find: Find }) {
  const { state, search } = find;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [find.focusAsked]);
  const stop = (): void => {
    search.stop();
    // The button disappears with the search.
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') find.close();
    else if (event.key === 'Enter' && event.target === field.current) search.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const none = state.occurrences === null || state.occurrences.length === 0;
  return (
    <search class="find-bar" aria-label={t('Find in Conversation')} onKeyDown={onKeyDown}>
      <span class="find-input">
        <input
          class="field find-field"
          ref={field}
          type="text"
          aria-label={t('Find')}
          placeholder={t('Find')}
          value={state.text}
          spellcheck={false}
          onInput={(event) => search.search({ text: event.currentTarget.value })}
        />
        <IconButton
          icon="case-sensitive"
          label={t('Match Case')}
          class={toggleClass(state.matchCase)}
          aria-pressed={state.matchCase}
          act={() => search.search({ matchCase: !state.matchCase })}
        />
        <IconButton
          icon="tools"
          label={t('Search in Tool Results')}
          class={toggleClass(state.tools)}
          aria-pressed={state.tools}
          act={() => search.search({ tools: !state.tools })}
        />
      </span>
      <Count state={state} />
      {state.progress !== null && <IconButton icon="debug-stop" label={t('Stop Searching')} act={stop} />}
      <span class="find-buttons">
        <IconButton icon="arrow-up" label={t('Previous Match')} disabled={none} act={() => search.step(-1)} />
        <IconButton icon="arrow-down" label={t('Next Match')} disabled={none} act={() => search.step(1)} />
        <IconButton icon="close" label={t('Close')} act={find.close} />
      </span>
    </search>
  );
}

/** "3 of 17", or the reason why there is no count. */
function Count({ state }: { readonly state: FindState }) {
  const lasting = useLasting(state.searching, 150);
  const { progress } = state;
  return (
    <span class={`find-count${state.problem === null ? '' : ' find-problem'}`}>
      <span class={progress === null ? undefined : 'visually-hidden'} role="status">
        {lasting ? t('Searching earlier messages…') : countText(state)}
      </span>
      {progress !== null && (
        <span aria-hidden="true">
          {t('Searching… {done} of {total}', {
            done: progress.done.toLocaleString(pageLanguage),
            total: progress.total.toLocaleString(pageLanguage),
          })}
        </span>
      )}
    </span>
  );
}

function countText({ occurrences, more, current, problem }: FindState): string {
  if (problem !== null) return problem;
  if (occurrences === null) return '';
  if (occurrences.length === 0) return more ? t('No results so far') : t('No results');
  const count = more ? t('{count} or more', { count: occurrences.length }) : `${occurrences.length}`;
  return current === -1 ? t('{count} found', { count }) : t('{index} of {count}', { index: current + 1, count });
}
