import * as v from 'valibot';
import * as vscode from 'vscode';
import type { CommandTable } from '../common/commands';
import type { SearchTab } from '../search/searchTab';
import type { SessionOpener } from './sessionOpener';
import type { ChosenSessions } from '../sessions/chosenSessions';

export interface ScreenCommandNeeds {
  readonly chosen: Pick<ChosenSessions, 'one'>;
  readonly search: Pick<SearchTab, 'show'>;
  readonly opener: Pick<SessionOpener, 'open'>;
}

/** The commands that open a screen of its own. */
export function screenCommands({ chosen, search, opener }: ScreenCommandNeeds): CommandTable {
  return {
    openSessionInTab: async (...args) => {
      const target = await chosen.one(args, vscode.l10n.t('Open Session in Editor Tab'));
      if (target !== null) await opener.open(target.session.id, target.messageUid, 'tab');
    },
    /** Called with words it looks for them; otherwise the field keeps what it has. */
    searchSessions: async (words) => search.show(v.is(v.string(), words) ? words : null),
  };
}
