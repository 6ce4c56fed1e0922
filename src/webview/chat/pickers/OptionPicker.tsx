import type * as code from './afterFirstPaint';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useOutside } from '../common/hooks';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../buttons';
import { movedIn, typedAhead } from '../common/listMoves';
import { LazyComponents } from '../connection/lazyComponents';

export const lazyPickers = new LazyComponents<typeof code>();

export interface PickerOption<V extends string> {
  readonly value: V;
  readonly name: string;
  readonly description: string;
}

interface OptionPickerProps<V extends string> {
  /** Id of the list; the ids of its options begin with it. */
  readonly id: string;
  /** Accessible names of the button and of the list. */
  readonly label: string;
  readonly listLabel: string;
  readonly icon: string;
  readonly title: string;
  readonly class: string;
  readonly options: readonly PickerOption<V>[];
  readonly chosen: V;
  readonly pick: (value: V) => void;
  /** True when picking the chosen option counts, too. Default: false. */
  readonly takesAgain?: boolean;
  /** Note below the options. Default: none. */
  readonly note?: () => ComponentChildren;
  /** Content of the button. */
  readonly children: ComponentChildren;
}

export const optionListId = (id: string): string => `${id}-list`;
export const optionId = (id: string, value: string): string => `${id}-${value}`;

/** Picks one of a few options. The focus stays on the button while the list is open, as in a native select: arrow
 *  keys, Home, End and first letters move along the list, Enter or Space picks, Escape closes. */
export function OptionPicker<V extends string>({
  id,
  label,
  listLabel,
  icon,
  title,
  class: kind,
  options,
  chosen,
  pick,
  takesAgain = false,
  note,
  children,
}: OptionPickerProps<V>) {
  const active = useSignal<V | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const lazy = lazyPickers.value;
  const isOpen = active.value !== null;
  const close = (): void => {
    active.value = null;
  };
  const take = (value: V): void => {
    close();
    if (takesAgain || value !== chosen) pick(value);
  };
  useOutside(root, isOpen, close);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return;
    const at = active.peek();
    const opens = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (at === null) {
      if (!opens) return;
      active.value = chosen;
    } else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === ' ') take(at);
    else {
      const place = options.findIndex(({ value }) => value === at);
      const next =
        movedIn(event.key, place, options.length) ??
        (event.key.length === 1
          ? typedAhead(
              event.key,
              place,
              options.map(({ name }) => name),
            )
          : null);
      if (next === null) return;
      active.value = options[next]?.value ?? at;
    }
    event.preventDefault();
  };
  return (
    <div
      class={`option-picker ${kind}`}
      ref={root}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && root.current?.contains(event.relatedTarget) !== true) close();
      }}
    >
      <button
        type="button"
        class="picker-button"
        role="combobox"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? optionListId(id) : undefined}
        aria-activedescendant={active.value === null ? undefined : optionId(id, active.value)}
        title={title}
        onClick={() => (active.value = isOpen ? null : chosen)}
        onKeyDown={onKeyDown}
      >
        <Icon name={icon} />
        {children}
        <Icon name="chevron-down" />
      </button>
      {active.value !== null && lazy !== null && (
        <lazy.OptionList
          id={id}
          label={listLabel}
          options={options}
          active={active.value}
          chosen={chosen}
          pick={take}
          note={note}
        />
      )}
    </div>
  );
}
