import { movedAlong } from './listMoves';
import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../buttons';

interface ToolbarAction {
  readonly icon: string;
  readonly label: string;
  readonly act: () => void;
  readonly disabled?: boolean;
}

export interface ToolbarProps {
  readonly label: string;
  /** False: not offered now. */
  readonly actions: readonly (ToolbarAction | false)[];
  /** True when the toolbar takes the focus as it renders. */
  readonly focused?: boolean;
}

/** Row of icon buttons with a single tab stop; the arrow keys move along it. Unavailable actions can still be
 *  focused and read. */
export function Toolbar({ label, actions: all, focused = false }: ToolbarProps) {
  const actions = all.filter((action) => action !== false);
  const bar = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState(0);
  const current = Math.min(place, actions.length - 1);
  const go = (to: number): void => {
    setPlace(to);
    const button = bar.current?.children[to];
    if (button instanceof HTMLElement) button.focus();
  };
  useEffect(() => {
    if (focused) go(0);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Where the focus is: `place` may not be rendered yet when keys follow each other quickly.
    const at = [...(bar.current?.children ?? [])].findIndex((button) => button === document.activeElement);
    const to = movedAlong(event, at, actions.length);
    if (to === null) return;
    event.preventDefault();
    go(to);
  };
  return (
    <span class="toolbar" role="toolbar" aria-label={label} ref={bar} onKeyDown={onKeyDown}>
      {actions.map((action, index) => (
        <IconButton
          icon={action.icon}
          label={action.label}
          key={action.icon}
          aria-disabled={action.disabled}
          tabIndex={index === current ? 0 : -1}
          onFocus={() => setPlace(index)}
          act={() => {
            if (action.disabled !== true) action.act();
          }}
        />
      ))}
    </span>
  );
}
