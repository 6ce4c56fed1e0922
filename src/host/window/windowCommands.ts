import { findCommand } from '../chat/findCommand';
import { registerCommands, type CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { importingChoice } from '../settings/keptChoice';
import type { WindowDeps } from './windowParts';
import * as v from 'valibot';
import { t } from '../../base/translate';
import type { SearchTab } from '../library/searchTab';
import type { TranscriptTabs } from '../library/transcript/transcriptTabs';
import type { SessionOpener } from '../library/sessionOpener';
import type { ChosenSessions } from '../library/chosenSessions';

/** Registers the commands that need several parts of a window. */
export function registerWindowCommands(deps: WindowDeps): void {
  const { own, gateway, activeChat, panel, chat, chatTabs, opener, search, transcripts, sessions, others, log } = deps;
  const shown = (): string | null => gateway.surfaces.shownSession(activeChat.surfaceId);
  const { chosen } = sessions;
  const importing = importingChoice(deps.context.globalState);
  own(
    registerCommands(
      {
        ...deps.verify.commands(chat),
        ...sessions.commands,
        ...others.commands,
        ...ownCommands(deps, shown),
        ...choiceCommands({
          manifest: deps.context.extension.packageJSON,
          isSynced: () => deps.sync.current !== null,
          isImporting: () => importing.current,
        }),
        ...screenCommands({ chosen, search, opener, transcripts }),
        ...findCommand({ chat, panel, tab: () => chatTabs.active, meant: () => activeChat.tab }),
        ...deps.walkthrough.commands,
      },
      log,
    ),
  );
}

/** Commands for models, memory, settings and the log. */
function ownCommands({ chat, editor, setup, memory }: WindowDeps, shown: () => string | null): CommandTable {
  return {
    setUpModel: () => setup.run(null),
    tryDemo: () => setup.run(setupEntryIds.demo),
    setUpMemory: () => memory.setup.run(),
    selectModel: () => editor.pickModel(shown()),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
  };
}

interface ScreenCommandDeps {
  readonly chosen: Pick<ChosenSessions, 'one'>;
  readonly search: Pick<SearchTab, 'show'>;
  readonly opener: Pick<SessionOpener, 'open'>;
  readonly transcripts: Pick<TranscriptTabs, 'verify'>;
}

/** Commands that open a separate screen. */
function screenCommands({ chosen, search, opener, transcripts }: ScreenCommandDeps): CommandTable {
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
