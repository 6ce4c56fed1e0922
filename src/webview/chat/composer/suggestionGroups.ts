import type { Mention, MentionKind } from '../../../protocol/attachmentProtocol';
import { t } from '../../localization';
import type { Offered } from './slashCommands';

/** Suggestions of one group, with their positions in the whole list. */
export interface SuggestionGroup<T> {
  readonly name: string;
  readonly items: readonly { readonly item: T; readonly place: number }[];
}

/** Groups mentions: the group of the best match first. Keeps the order within each group. */
export function sortedByGroup(mentions: readonly Mention[]): readonly Mention[] {
  const sorts = [...new Set(mentions.map(({ kind }) => sortOf(kind)))];
  return sorts.flatMap((sort) => mentions.filter(({ kind }) => sortOf(kind) === sort));
}

/** Expects a list in which each group is contiguous. */
export function mentionGroups(mentions: readonly Mention[]): readonly SuggestionGroup<Mention>[] {
  return grouped(mentions, ({ kind }) => sortLabel(sortOf(kind)));
}

export function commandGroups(commands: readonly Offered[]): readonly SuggestionGroup<Offered>[] {
  return grouped(commands, (command) => {
    if (command.takes !== 'prompt') return t('Commands');
    switch (command.kind) {
      case 'skill':
        return t('Skills');
      case 'agent':
        return t('Agents');
      case 'server':
        return t('MCP Prompts');
      case 'command':
        return t('Commands of the Agent');
      case undefined:
        return t('Prompt Files');
      default:
        return command.kind satisfies never;
    }
  });
}

type Sort = 'files' | 'symbols' | 'editor' | 'git' | 'sessions' | 'resources';

const sorts: Readonly<Record<MentionKind, Sort>> = {
  file: 'files',
  folder: 'files',
  symbol: 'symbols',
  problems: 'editor',
  selection: 'editor',
  terminal: 'editor',
  git: 'git',
  session: 'sessions',
  resource: 'resources',
};

function sortOf(kind: MentionKind): Sort {
  return sorts[kind];
}

function sortLabel(sort: Sort): string {
  switch (sort) {
    case 'files':
      return t('Files and Folders');
    case 'symbols':
      return t('Symbols');
    case 'editor':
      return t('In the Editor');
    case 'git':
      return t('Git');
    case 'sessions':
      return t('Sessions');
    case 'resources':
      return t('MCP Resources');
    default:
      return sort satisfies never;
  }
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): readonly SuggestionGroup<T>[] {
  const groups = new Map<string, { readonly item: T; readonly place: number }[]>();
  for (const [place, item] of items.entries()) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [{ item, place }]);
    else group.push({ item, place });
  }
  return [...groups].map(([name, members]) => ({ name, items: members }));
}
