import { commands } from 'vscode';
import type { Gateway } from '../../gateway/conversationGateway';
import { ExtensionApi } from '../api/extensionApi';
import type { HermesExtension } from '../api/hermes';
import { WindowWork } from '../storage/windowWork';
import { SyncView } from '../chat/syncView';
import { Slot } from '../common/slot';
import { TurnGate } from '../sync/turnGate';
import type { WindowModels } from './createModels';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';
import { windowGateway, type WindowHooks } from './windowGateway';
import { WindowMemory } from './windowMemory';

/** Agents and conversations of a window. */
export interface WindowConversations {
  readonly memory: WindowMemory;
  /** Hooks that run at moments of a turn. */
  readonly hooks: Slot<WindowHooks>;
  readonly gateway: Gateway;
  readonly api: HermesExtension;
  /** Lets sync act before a turn. */
  readonly turnGate: TurnGate;
  /** What the chats show of sync. */
  readonly syncView: SyncView;
}

export function createConversations(parts: WindowBasics & WindowModels & WindowTools): WindowConversations {
  const { own, context, distFolder, settings, keys, history, ids, clock, log } = parts;
  const { store, connection } = history;
  const memory = own(new WindowMemory({ context, distFolder, store: history, settings, keys, clock, log }));
  let keyChanges = 0;
  own(context.secrets.onDidChange(() => keyChanges++));
  const turnGate = new TurnGate();
  const hooks = new Slot<WindowHooks>();
  const gateway = windowGateway({
    beforeTurn: turnGate.before,
    store,
    settings,
    catalog: parts.catalog,
    tools: parts.tools,
    approvals: parts.approvals,
    mcp: parts.mcp,
    project: parts.project,
    memory: memory.providers,
    hooks,
    files: parts.files,
    keyChanges: () => keyChanges,
    ids,
    clock,
    log,
  });
  const { exports } = own(
    new ExtensionApi({
      gateway,
      store,
      memory: memory.providers,
      log,
      chosenMemory: () => settings.current.memoryProvider,
    }),
  );
  parts.terminal.cleanUpAfter(store, gateway.surfaces.onDidChangeSessions);
  parts.changedFiles.cleanUpAfter(gateway.surfaces.onDidChangeSessions);
  // The page answers this call, not the extension host.
  connection.setWorkGuard(new WindowWork(gateway, () => commands.getCommands(true), clock));
  return { memory, hooks, gateway, api: exports, turnGate, syncView: new SyncView() };
}
