import { noAnswer } from '../../agent/turnHooks';
import type { Gateway } from '../../gateway/conversationGateway';
import { editorWorkNotice } from '../notifications/editorWorkNotice';
import { withWorkNotices } from '../notifications/longWork';
import { agentGateway } from './agentGateway';
import type { WindowContext } from './windowContext';

/** Agents and conversations of a window. */
export function createGateway(window: WindowContext): Gateway {
  const { own, context, settings, history, ids, clock, log } = window;
  const { agents, turnHooks, approvals, servers, project, tools, catalog, files, memory } = window;
  const { store } = history;
  let keyChanges = 0;
  own(context.secrets.onDidChange(() => keyChanges++));
  return agentGateway({
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
    beforeTurn: async (conversationId) => void (await Promise.all(window.beforeTurn.run(conversationId))),
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
}
