import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SuggestionGroup } from './suggestionGroups';

interface SuggestionListProps<T> {
  readonly id: string;
  readonly label: string;
  readonly groups: readonly SuggestionGroup<T>[];
  /** Changes whenever the shown items or the active item change. */
  readonly shown: unknown;
  readonly option: (item: T, place: number) => VNode;
}

/** Suggestions above the composer, grouped under headings when there is more than one group. The focus stays in the
 *  composer, whose aria attributes name the active suggestion. */
export function SuggestionList<T>({ id, label, groups, shown, option }: SuggestionListProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [shown]);
  return (
    <div
      id={id}
      class="popup command-list"
      role="listbox"
      aria-label={label}
      ref={list}
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.length === 1
        ? groups[0]?.items.map(({ item, place }) => option(item, place))
        : groups.map(({ name, items }) => (
            <div key={name} role="group" aria-label={name}>
              <div class="suggestion-group" aria-hidden="true">
                {name}
              </div>
              {items.map(({ item, place }) => option(item, place))}
            </div>
          ))}
    </div>
  );
}
