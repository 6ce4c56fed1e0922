import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type SuggestionGroup, commandGroups, mentionGroups } from './suggestionGroups';
import { t } from '../../localization';
import { type Offered, type SlashCommand, commandListId, commandOptionId } from './slashCommands';
import type { Mention } from '../../../protocol/attachmentProtocol';
import { Icon } from '../../buttons';
import { mentionKinds } from '../drafts/draftParts';
import { mentionListId, mentionOptionId } from './mentions';

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
function SuggestionList<T>({ id, label, groups, shown, option }: SuggestionListProps<T>) {
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

interface MentionListProps {
  readonly mentions: readonly Mention[];
  readonly active: number | null;
  readonly pick: (mention: Mention) => void;
}

/** Completions for "@". */
export function MentionList({ mentions, active, pick }: MentionListProps) {
  if (mentions.length === 0) {
    return (
      <div id={mentionListId} class="popup command-list mention-none" role="status">
        {t('No match')}
      </div>
    );
  }
  const option = (mention: Mention, place: number) => (
    <div
      key={mention.source}
      id={mentionOptionId(place)}
      class={`option mention-option${place === active ? ' active' : ''}`}
      role="option"
      aria-selected={place === active}
      title={mention.label}
      onClick={() => pick(mention)}
    >
      <Icon name={mentionKinds[mention.kind].icon} />
      <span class="mention-label" dir="auto">
        {nameIn(mention)}
      </span>
      <span class="visually-hidden">, {mentionKinds[mention.kind].name()}, </span>
      <span class="mention-detail" dir="auto">
        {mention.detail}
      </span>
    </div>
  );
  return (
    <SuggestionList
      id={mentionListId}
      label={t('Mentions')}
      groups={mentionGroups(mentions)}
      shown={`${active} ${mentions.length}`}
      option={option}
    />
  );
}

/** Names a file by its base name; its folder follows after it. */
function nameIn({ kind, label, detail }: Mention): string {
  const isPath = kind === 'file' || kind === 'folder';
  return isPath && detail !== '' ? (label.replace(/\/$/, '').split('/').at(-1) ?? label) : label;
}

const commandTexts: Readonly<Record<SlashCommand['name'], () => string>> = {
  new: () => t('Start a new session. This one goes on.'),
  reset: () => t('End this session and start a new one'),
  resume: () => t('Open an earlier session by number, ID, or title'),
  branch: () => t('Branch this session'),
  undo: () => t('Undo the last turn, or the last N'),
  retry: () => t('Retry the last prompt'),
  compress: () => t('Summarize earlier messages to free up context'),
  title: () => t('Rename this session'),
  search: () => t('Search all sessions'),
  model: () => t('Select the model'),
  memory: () => t('Open Memory'),
  stop: () => t('Stop the running turn'),
  queue: () => t('Queue a prompt for after this turn'),
  steer: () => t('Send a note to the running turn'),
  export: () => t('Export this session to a file'),
  help: () => t('List commands'),
};

/** Describes an item of the list. */
export function offeredText(offered: Offered): string {
  if (offered.takes !== 'prompt') return commandTexts[offered.name]();
  const text = offered.description ?? t('Project prompt file');
  return offered.argumentHint === null ? text : `${text} · ${offered.argumentHint}`;
}
