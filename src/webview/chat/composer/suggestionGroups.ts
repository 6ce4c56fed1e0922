import type { Mention, MentionKind } from '../../../protocol/attachmentProtocol';
import { t } from '../../localization';
import type { Offered } from './slashCommands';

/** Suggestions of one group, with their positions in the whole list. */
export interface SuggestionGroup<T> {
  readonly name: string;
  readonly items: readonly { readonly item: T; readonly place: number }[];
}

const mentionGroupNames: Readonly<Record<MentionKind, () => string>> = {
  file: () => t('Files and Folders'),
  folder: () => t('Files and Folders'),
  symbol: () => t('Symbols'),
  problems: () => t('In the Editor'),
  selection: () => t('In the Editor'),
  terminal: () => t('In the Editor'),
  git: () => t('Git'),
  session: () => t('Sessions'),
  resource: () => t('MCP Resources'),
};

const promptGroupNames = {
  skill: () => t('Skills'),
  agent: () => t('Agents'),
  server: () => t('MCP Prompts'),
  command: () => t('Commands of the Agent'),
} as const;

/** Groups mentions: the group of the best match first. Keeps the order within each group. */
export function sortedByGroup(mentions: readonly Mention[]): readonly Mention[] {
  return mentionGroups(mentions).flatMap(({ items }) => items.map(({ item }) => item));
}

/** Expects a list in which each group is contiguous. */
export function mentionGroups(mentions: readonly Mention[]): readonly SuggestionGroup<Mention>[] {
  return grouped(mentions, ({ kind }) => mentionGroupNames[kind]());
}

export function commandGroups(commands: readonly Offered[]): readonly SuggestionGroup<Offered>[] {
  return grouped(commands, (command) => {
    if (command.takes !== 'prompt') return t('Commands');
    return command.kind === undefined ? t('Prompt Files') : promptGroupNames[command.kind]();
  });
}

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): readonly SuggestionGroup<T>[] {
  const places = items.map((item, place) => ({ item, place }));
  const names = new Set(items.map(nameOf));
  return [...names].map((name) => ({ name, items: places.filter(({ item }) => nameOf(item) === name) }));
}
