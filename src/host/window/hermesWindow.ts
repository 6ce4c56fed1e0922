import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { withinTime } from '../../base/pause';
import { t } from '../../base/translate';
import type { GatewayPart } from '../../gateway/conversationGateway';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { OpenReport } from '../../store/worker/openedStore';
import { registerEntryPoints } from '../attachments/entryPoints';
import { registerCommands, type CommandTable, reportFailure } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';
import { choiceCommands } from '../navigation/choiceCommands';
import { importingChoice } from '../settings/keptChoice';
import { openReportNotices, putRightNotices, replacedOffers } from '../storage/storeLabels';
import type { StoreStatus } from '../storage/storeStatus';
import { followChanges } from './windowChanges';
import { type Feature, WindowContext } from './windowContext';

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

/** Parts of the window that follow its store. */
interface StoreFollowers {
  readonly history: {
    readonly connection: Pick<StoreConnection, 'onDidChangeState' | 'leaveReplaced' | 'bringBack'>;
    readonly status: Pick<StoreStatus, 'setNotices' | 'offer'>;
    readonly isReplacing: boolean;
  };
  readonly sessions: { storeOpened(): void };
  readonly approvalNotices: { readWaiting(): Promise<void> };
  readonly gateway: GatewayPart<'queue', 'resume'>;
  readonly log: Log;
  /** Ends it with the window. */
  own(part: Disposable): void;
}

/** Starts the parts that need the history once it is open, and reports how it was opened. */
export function followStore(deps: StoreFollowers): void {
  const { connection } = deps.history;
  deps.own(connection.onDidChangeState((state) => storeChanged(deps, state)));
}

function storeChanged(deps: StoreFollowers, state: StoreConnection['state']): void {
  if (state.kind !== 'open' && state.kind !== 'readOnly') return;
  const { report } = state;
  const cutOff = report.recoveredTurns.length;
  const settled = cutOff === 0 ? '' : `; ${cutOff} turns were cut off and are settled`;
  deps.log.info(`Sessions are stored in ${report.path}${settled}.`);
  deps.history.status.setNotices('opening', [
    ...putRightNotices(report, state.kind === 'open' ? state.regained : null),
    ...openReportNotices(report),
  ]);
  offerReplaced(deps, report);
  if (state.kind !== 'open') return;
  deps.sessions.storeOpened();
  void deps.approvalNotices.readWaiting();
  // A backup may hold prompts that were queued long ago: restoring it alone sends none of them.
  if (deps.history.isReplacing) return;
  deps.gateway.queue.resume().catch((error: unknown) => reportFailure('Queued prompts', error, deps.log));
}

/** Repeats each offer until the user decides it, here or in a later window. */
function offerReplaced(deps: StoreFollowers, report: OpenReport): void {
  const { connection, status: desk } = deps.history;
  const leave = async (path: string): Promise<void> => {
    connection.leaveReplaced(path);
    offerReplaced(deps, { ...report, replaced: report.replaced.filter((each) => each.path !== path) });
  };
  desk.offer('replaced', replacedOffers(report, { bringBack: () => connection.bringBack(), leave }));
}
