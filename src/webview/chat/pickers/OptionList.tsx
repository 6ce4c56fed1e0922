import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../buttons';
import { t } from '../../localization';
import { optionId, optionListId, type PickerOption } from './OptionPicker';
import { sandboxLabels } from '../cards/approvalLabels';
import { useChat } from '../state/chat';

interface OptionListProps<V extends string> {
  readonly id: string;
  readonly label: string;
  readonly options: readonly PickerOption<V>[];
  readonly active: V;
  readonly chosen: V;
  readonly pick: (value: V) => void;
  readonly note?: (() => ComponentChildren) | undefined;
}

/** List of options with a description each. The focus stays on the button that opened it. */
export function OptionList<V extends string>({ id, label, options, active, chosen, pick, note }: OptionListProps<V>) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <div class="popup option-list" onMouseDown={(event) => event.preventDefault()}>
      <ul id={optionListId(id)} class="options" role="listbox" aria-label={label} ref={list}>
        {options.map(({ value, name, description }) => (
          <li
            key={value}
            id={optionId(id, value)}
            class={`option${value === active ? ' active' : ''}`}
            role="option"
            aria-selected={value === active}
            onClick={() => pick(value)}
          >
            <span class="option-line">
              <span class="option-check">{value === chosen && <Icon name="check" />}</span>
              <span class="option-label">{name}</span>
              {value === chosen && <span class="visually-hidden">{t('selected')}</span>}
            </span>
            <span class="option-details">
              <span>{description}</span>
            </span>
          </li>
        ))}
      </ul>
      {note?.()}
    </div>
  );
}

/** Note below the modes: tells the user if commands run in a sandbox here. */
export function SandboxNote() {
  const { sandbox } = useChat().steady.value;
  const labels = sandboxLabels(sandbox);
  if (labels === null) return null;
  return (
    <p class="option-note">
      <Icon name={sandbox?.kind === 'works' ? 'lock' : 'unlock'} />
      <span>{labels}</span>
    </p>
  );
}
