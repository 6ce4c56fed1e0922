import { t } from '../../base/translate';
import { registerEntryPoints } from '../attachments/entryPoints';
import { findCommand } from '../chat/findCommand';
import { registerCommands, type CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { importingChoice } from '../settings/keptChoice';
import type { WindowContext } from './windowContext';

/** Registers the commands that need several parts of a window. */
export function registerWindowCommands(window: WindowContext): void {
  const { own, context, sync, log } = window;
  const importing = importingChoice(context.globalState);
  own(
    registerCommands(
      {
        ...window.approvals.commands,
        ...window.sessions.commands,
        ...ownCommands(window),
        ...choiceCommands({
          manifest: context.extension.packageJSON,
          isSynced: () => sync.current !== null,
          isImporting: () => importing.current,
        }),
        ...findCommand(window),
      },
      log,
    ),
  );
  own(registerEntryPoints(window));
}

/** Commands for models, memory, settings, the log and single sessions. */
function ownCommands({
  chat,
  editor,
  setup,
  memory,
  sessions,
  opener,
  gateway,
  activeChat,
}: WindowContext): CommandTable {
  return {
    setUpModel: () => setup.run(null),
    tryDemo: () => setup.run(setupEntryIds.demo),
    setUpMemory: () => memory.setUp(),
    selectModel: () => editor.pickModel(gateway.surfaces.shownSession(activeChat.surfaceId)),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
    openSessionInTab: async (...args) => {
      const target = await sessions.chosen.one(args, t('Open Session in Editor Tab'));
      if (target !== null) await opener.open(target.session.id, target.messageUid, 'tab');
    },
  };
}
