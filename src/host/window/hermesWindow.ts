import * as v from 'valibot';
import * as vscode from 'vscode';
import { withinTime } from '../../base/pause';
import { t } from '../../base/translate';
import { registerEntryPoints } from '../attachments/entryPoints';
import { registerCommands, type CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { importingChoice } from '../settings/keptChoice';
import { followChanges } from './windowChanges';
import { type Feature, WindowContext } from './windowContext';
import { followStore } from './windowStoreChanges';

/** Argument of the key binding in an editor tab: the panel may be visible beside it. */
const fromTab = v.object({ from: v.literal('tab') });

/** Registers the commands that need several parts of a window. */
function registerWindowCommands(window: WindowContext): void {
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
      },
      log,
    ),
  );
  own(registerEntryPoints(window));
}

/** Commands for models, memory, settings, the log, the chat and single sessions. */
function ownCommands(window: WindowContext): CommandTable {
  const { chat, editor, setup, memory, sessions, opener, gateway, activeChat } = window;
  return {
    setUpModel: () => setup.run(null),
    tryDemo: () => setup.run(setupEntryIds.demo),
    setUpMemory: () => memory.setUp(),
    selectModel: () => editor.pickModel(gateway.surfaces.shownSession(activeChat.surfaceId)),
    focusChat: () => chat.focus(),
    // The page opens its find bar on the key itself; the command also keeps the key from the editor's own Find.
    findInConversation: async (args) => {
      const open = v.is(fromTab, args) ? window.chatTabs.active : activeChat.tab;
      if (open !== null) return open.find();
      await chat.show();
      window.panel.find();
    },
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
    openSessionInTab: sessions.chosen.command(t('Open Session in Editor Tab'), ({ session, messageUid }) =>
      opener.open(session.id, messageUid, 'tab'),
    ),
  };
}

/** Milliseconds for turns to settle, and for the store to close. The editor gives an extension five seconds in
 *  total. */
const settleTimeoutMs = 3000;
const closeTimeoutMs = 1500;
/** Additional milliseconds for servers of tools to end on their own. */
const serversTimeoutMs = 300;

/** Builds and connects the parts of one editor window. Nothing here waits: the store opens and models are searched
 *  while the window starts. */
export class HermesWindow {
  private readonly window: WindowContext;

  /** `features`: with names. The manifest shows commands of a feature only where `hermes.feature.<name>` is set. */
  constructor(context: vscode.ExtensionContext, distFolder: string, features: readonly (readonly [string, Feature])[]) {
    this.window = new WindowContext(context, distFolder);
    for (const [name, feature] of features) {
      this.window.features.push(name);
      feature.register(this.window);
      void vscode.commands.executeCommand('setContext', `hermes.feature.${name}`, true);
    }
    registerWindowCommands(this.window);
    followStore(this.window);
    followChanges(this.window);
  }

  /** Return value of `activate()`. */
  get exports(): object | null {
    return this.window.exports.current;
  }

  async close(): Promise<void> {
    const { terminal, gateway, closing, servers, history, turnHooks, lifetime, clock, log } = this.window;
    void terminal.closing();
    await withinTime(clock, settleTimeoutMs, gateway.shutdown()).catch((error: unknown) =>
      log.error('Turns could not be settled at closing', error),
    );
    closing.run();
    const ended = servers.current?.close() ?? Promise.resolve();
    const hooks = withinTime(clock, closeTimeoutMs, turnHooks.current?.closing() ?? Promise.resolve());
    await withinTime(clock, closeTimeoutMs, history.store.close()).catch((error: unknown) =>
      log.error('The store could not be closed in order', error),
    );
    await hooks;
    await withinTime(clock, serversTimeoutMs, ended);
    lifetime.dispose();
  }
}
