import { commands } from 'vscode';
import { noAnswer } from '../../agent/turnHooks';
import type { Gateway } from '../../gateway/conversationGateway';
import { describeError } from '../common/describeError';
import { onErased } from '../common/onErased';
import { editorWorkNotice } from '../notifications/editorWorkNotice';
import { withWorkNotices } from '../notifications/longWork';
import { WindowWork } from '../storage/windowWork';
import { agentGateway } from './agentGateway';
import type { WindowModels } from './createModels';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';
import { WindowMemory } from './windowMemory';

/** Agents and conversations of a window. */
export interface WindowConversations {
  readonly memory: WindowMemory;
  readonly gateway: Gateway;
}

export function createConversations(parts: WindowBasics & WindowModels & WindowTools): WindowConversations {
  const { own, context, settings, history, ids, clock, log } = parts;
  const { store, connection } = history;
  const memory = new WindowMemory(settings, log);
  let keyChanges = 0;
  own(context.secrets.onDidChange(() => keyChanges++));
  const { agents, turnHooks, approvals, servers, project, tools, catalog, files } = parts;
  const gateway = agentGateway({
    store,
    turnStore: withWorkNotices(store, { clock, notice: editorWorkNotice }),
    settings: () => settings.current,
    catalog,
    tools,
    approvals: approvals.policy,
    hooks: { run: async (...asked) => turnHooks.current?.run(...asked) ?? noAnswer },
    moreTools: async (signal, called) => (await servers.current?.tools(signal, called)) ?? [],
    memory: memory.providers,
    files,
    project: () => project.current,
    projectRead: () => project.ready(),
    otherAgent: (model) => agents.current?.agentFor(model) ?? null,
    beforeTurn: async (conversationId) => void (await Promise.all(parts.beforeTurn.run(conversationId))),
    afterTurn: (turn) => turnHooks.current?.afterTurn(turn),
    // An agent is rebuilt when any of these has changed.
    agentSignature: (model, custom = null) => {
      const folders = files.roots().map((root) => root.path);
      return JSON.stringify([model, custom, settings.current, keyChanges, project.version, folders]);
    },
    defaultModel: () => settings.current.model,
    saveDefaultModel: (ref) => settings.saveModel(ref),
    busyMode: () => settings.current.busyInput,
    ids,
    clock,
    log,
  });
  parts.terminal.cleanUpAfter(store, gateway.surfaces.onDidChangeSessions);
  own(
    onErased({ sessions: store, onDidChangeSessions: gateway.surfaces.onDidChangeSessions, log }, () => {
      parts.recorder
        .forget()
        .catch((error: unknown) => log.warn(`Snapshots of files were not removed: ${describeError(error).sentence}`));
    }),
  );
  // The page answers this call, not the extension host.
  connection.setWorkGuard(new WindowWork(gateway, () => commands.getCommands(true), clock));
  return { memory, gateway };
}
