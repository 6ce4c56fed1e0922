import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import { offeredWords } from '../commandWords';
import type { Offered } from '../slashCommands';
import { commandListId, commandOptionId } from './commands';

interface CommandListProps {
  readonly commands: readonly Offered[];
  readonly active: Offered;
  readonly pick: (command: Offered) => void;
}

/** What can be typed behind a "/". The focus stays in the composer, which says by its aria attributes which command is the active one. */
export function CommandList({ commands, active, pick }: CommandListProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [active]);
  return (
    <ul id={commandListId} class="popup command-list" role="listbox" aria-label={t('Commands')} ref={list} onMouseDown={(event) => event.preventDefault()}>
      {commands.map((command) => (
        <li
          key={command.name}
          id={commandOptionId(command)}
          class={`option command-option${command === active ? ' active' : ''}`}
          role="option"
          aria-selected={command === active}
          onClick={() => pick(command)}
        >
          <span class="command-name">/{command.name}</span>
          <span class="command-words">{offeredWords(command)}</span>
        </li>
      ))}
    </ul>
  );
}
