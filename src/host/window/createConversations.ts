import { commands } from 'vscode';
import type { Gateway } from '../../gateway/conversationGateway';
import { WindowWork } from '../storage/windowWork';
import type { WindowModels } from './createModels';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';
import { windowGateway } from './windowGateway';
import { WindowMemory } from './windowMemory';

/** Agents and conversations of a window. */
export interface WindowConversations {
  readonly memory: WindowMemory;
  readonly gateway: Gateway;
}

export function createConversations(parts: WindowBasics & WindowModels & WindowTools): WindowConversations {
  const { own, context, settings, history, ids, clock, log } = parts;
  const { store, connection } = history;
  const memory = own(new WindowMemory({ context, store: history, settings, clock, log }));
  let keyChanges = 0;
  own(context.secrets.onDidChange(() => keyChanges++));
  const gateway = windowGateway({
    beforeTurn: async (conversationId) => void (await Promise.all(parts.beforeTurn.run(conversationId))),
    store,
    settings,
    agents: parts.agents,
    catalog: parts.catalog,
    tools: parts.tools,
    approvals: parts.approvals,
    mcp: parts.mcp,
    project: parts.project,
    memory: memory.providers,
    hooks: parts.turnHooks,
    files: parts.files,
    keyChanges: () => keyChanges,
    ids,
    clock,
    log,
  });
  parts.terminal.cleanUpAfter(store, gateway.surfaces.onDidChangeSessions);
  parts.changedFiles.cleanUpAfter(gateway.surfaces.onDidChangeSessions);
  // The page answers this call, not the extension host.
  connection.setWorkGuard(new WindowWork(gateway, () => commands.getCommands(true), clock));
  return { memory, gateway };
}
