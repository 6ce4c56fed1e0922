import * as v from 'valibot';
import { t } from '../../base/translate';
import type { CommandTable } from '../common/commands';
import type { SearchTab } from './searchTab';
import type { TranscriptTabs } from './transcript/transcriptTabs';
import type { SessionOpener } from './sessionOpener';
import type { ChosenSessions } from './chosenSessions';

interface ScreenCommandDeps {
  readonly chosen: Pick<ChosenSessions, 'one'>;
  readonly search: Pick<SearchTab, 'show'>;
  readonly opener: Pick<SessionOpener, 'open'>;
  readonly transcripts: Pick<TranscriptTabs, 'verify'>;
}

/** Commands that open a separate screen. */
export function screenCommands({ chosen, search, opener, transcripts }: ScreenCommandDeps): CommandTable {
  return {
    openSessionInTab: async (...args) => {
      const target = await chosen.one(args, t('Open Session in Editor Tab'));
      if (target !== null) await opener.open(target.session.id, target.messageUid, 'tab');
    },
    verifySession: async (...args) => {
      const target = await chosen.one(args, t('Verify Session'));
      if (target !== null) transcripts.verify(target.session.id);
    },
    /** Searches for the given words; without words, the field keeps its text. */
    searchSessions: async (words) => search.show(v.is(v.string(), words) ? words : null),
  };
}
