import { findCommand } from '../chat/findCommand';
import { registerCommands, type CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { importingChoice } from '../settings/keptChoice';
import type { WindowDeps } from './windowParts';
import { t } from '../../base/translate';

/** Registers the commands that need several parts of a window. */
export function registerWindowCommands(deps: WindowDeps): void {
  const { own, gateway, activeChat, panel, chat, chatTabs, sessions, log } = deps;
  const shown = (): string | null => gateway.surfaces.shownSession(activeChat.surfaceId);
  const importing = importingChoice(deps.context.globalState);
  own(
    registerCommands(
      {
        ...sessions.commands,
        ...ownCommands(deps, shown),
        ...choiceCommands({
          manifest: deps.context.extension.packageJSON,
          isSynced: () => deps.sync.current !== null,
          isImporting: () => importing.current,
        }),
        ...findCommand({ chat, panel, tab: () => chatTabs.active, meant: () => activeChat.tab }),
        ...deps.walkthrough.commands,
      },
      log,
    ),
  );
}

/** Commands for models, memory, settings, the log and single sessions. */
function ownCommands(
  { chat, editor, setup, memory, sessions, opener }: WindowDeps,
  shown: () => string | null,
): CommandTable {
  return {
    setUpModel: () => setup.run(null),
    tryDemo: () => setup.run(setupEntryIds.demo),
    setUpMemory: () => memory.setUp(),
    selectModel: () => editor.pickModel(shown()),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
    openSessionInTab: async (...args) => {
      const target = await sessions.chosen.one(args, t('Open Session in Editor Tab'));
      if (target !== null) await opener.open(target.session.id, target.messageUid, 'tab');
    },
  };
}
