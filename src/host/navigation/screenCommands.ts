import * as v from 'valibot';
import { t } from '../../base/translate';
import type { CommandTable } from '../common/commands';
import type { SearchTab } from '../search/searchTab';
import type { SessionOpener } from './sessionOpener';
import type { ChosenSessions } from '../sessions/chosenSessions';

interface ScreenCommandDeps {
  readonly chosen: Pick<ChosenSessions, 'one'>;
  readonly search: Pick<SearchTab, 'show'>;
  readonly opener: Pick<SessionOpener, 'open'>;
}

/** Commands that open a separate screen. */
export function screenCommands({ chosen, search, opener }: ScreenCommandDeps): CommandTable {
  return {
    openSessionInTab: async (...args) => {
      const target = await chosen.one(args, t('Open Session in Editor Tab'));
      if (target !== null) await opener.open(target.session.id, target.messageUid, 'tab');
    },
    /** Searches for the given words; without words, the field keeps its text. */
    searchSessions: async (words) => search.show(v.is(v.string(), words) ? words : null),
  };
}
