import { t } from '../../localization';
import { offeredText } from './commandLabels';
import type { Offered } from './slashCommands';
import { commandGroups } from './suggestionGroups';
import { commandListId, commandOptionId } from './commands';
import { SuggestionList } from './SuggestionList';

interface CommandListProps {
  readonly commands: readonly Offered[];
  readonly active: Offered;
  readonly pick: (command: Offered) => void;
}

/** Completions for "/". */
export function CommandList({ commands, active, pick }: CommandListProps) {
  const option = (command: Offered) => (
    <div
      key={command.name}
      id={commandOptionId(command)}
      class={`option command-option${command === active ? ' active' : ''}`}
      role="option"
      aria-selected={command === active}
      title={offeredText(command)}
      onClick={() => pick(command)}
    >
      <span class="command-name" translate={false}>
        /{command.name}
      </span>
      <span class="command-words">{offeredText(command)}</span>
    </div>
  );
  return (
    <SuggestionList
      id={commandListId}
      label={t('Commands')}
      groups={commandGroups(commands)}
      shown={active}
      option={option}
    />
  );
}
