import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { modes, type Mode } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { modeIcons, modeName, modeWords } from '../modeWords';
import { useChat } from './ChatContext';
import { laterParts } from './laterParts';

export const modeListId = 'mode-list';
export const modeOptionId = (mode: Mode): string => `mode-${mode}`;

/** How freely the agent may act here. The keyboard chooses in the open list with the focus on the button, as in a native select. */
export function ModePicker() {
  const chat = useChat();
  const { conversation, newMode } = chat.state.value;
  const mode = conversation?.mode ?? newMode;
  const active = useSignal<Mode | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const later = laterParts.value;
  const isOpen = active.value !== null;
  const close = (): void => {
    active.value = null;
  };
  const pick = (chosen: Mode): void => {
    close();
    if (chosen !== mode) void chat.approvals.setMode(chosen);
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = (event: PointerEvent): void => {
      if (!(event.target instanceof Node) || root.current?.contains(event.target) !== true) close();
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = active.peek();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) active.value = at === null ? mode : (modes[(modes.indexOf(at) + step + modes.length) % modes.length] ?? mode);
    else if (at === null) return;
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === ' ') pick(at);
    else return;
    event.preventDefault();
  };
  return (
    <div class="mode-picker" ref={root} onFocusOut={(event) => {
      if (event.relatedTarget instanceof Node && root.current?.contains(event.relatedTarget) !== true) close();
    }}>
      <button
        type="button"
        class={`mode-button mode-${mode}`}
        role="combobox"
        aria-label={t('Mode')}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? modeListId : undefined}
        aria-activedescendant={active.value === null ? undefined : modeOptionId(active.value)}
        title={`${modeName(mode)}: ${modeWords(mode)}`}
        onClick={() => (active.value = isOpen ? null : mode)}
        onKeyDown={onKeyDown}
      >
        <Icon name={modeIcons[mode]} />
        <span class="mode-label">{modeName(mode)}</span>
        <Icon name="chevron-down" />
      </button>
      {active.value !== null && later !== null && <later.ModeList active={active.value} chosen={mode} pick={pick} />}
    </div>
  );
}
