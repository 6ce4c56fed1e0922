import { findCommand } from '../chat/findCommand';
import { registerCommands, type CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { screenCommands } from '../library/screenCommands';
import type { WindowDeps } from './windowParts';

/** Registers the commands that need several parts of a window. */
export function registerWindowCommands(deps: WindowDeps): void {
  const { own, gateway, activeChat, panel, chat, chatTabs, opener, search, transcripts, sessions, others, log } = deps;
  const shown = (): string | null => gateway.surfaces.shownSession(activeChat.surfaceId);
  const { chosen } = sessions;
  own(
    registerCommands(
      {
        ...deps.changedFiles.commands(shown),
        ...deps.changedFiles.editorCommands(),
        ...deps.verify.commands(chat),
        ...sessions.commands,
        ...others.commands,
        ...ownCommands(deps, shown),
        ...choiceCommands({
          manifest: deps.context.extension.packageJSON,
          isSynced: () => deps.sync.current !== null,
          isImporting: () => deps.settings.current.rescue,
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
