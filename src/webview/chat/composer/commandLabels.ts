import { t } from '../../localization';
import type { Offered, SlashCommand } from './slashCommands';

/** Describes an item of the list. */
export function offeredText(offered: Offered): string {
  if (offered.takes !== 'prompt') return commandText(offered.name);
  const text = offered.description ?? t('Project prompt file');
  return offered.argumentHint === null ? text : `${text} · ${offered.argumentHint}`;
}

function commandText(name: SlashCommand['name']): string {
  switch (name) {
    case 'new':
      return t('Start a new session');
    case 'reset':
      return t('End this session and start a new one');
    case 'resume':
      return t('Open an earlier session by number, ID, or title');
    case 'branch':
      return t('Branch this session');
    case 'undo':
      return t('Undo the last turn, or the last N');
    case 'retry':
      return t('Retry the last prompt');
    case 'compress':
      return t('Summarize earlier messages to free up context');
    case 'title':
      return t('Rename this session');
    case 'search':
      return t('Search all sessions');
    case 'model':
      return t('Select the model');
    case 'memory':
      return t('Open memory');
    case 'stop':
      return t('Stop the running turn');
    case 'queue':
      return t('Queue a prompt for after this turn');
    case 'steer':
      return t('Send a note to the running turn');
    case 'export':
      return t('Export this session to a file');
    case 'help':
      return t('List commands');
    default:
      return name satisfies never;
  }
}
