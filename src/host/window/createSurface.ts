import * as vscode from 'vscode';
import { demoPrompts } from '../../models/demo/demoPrompts';
import { ChatSurface, type ChatSurfaceDeps } from '../chat/chatSurface';
import type { WindowContext } from './windowContext';

/** Creates the chat of the panel, or with `onTabChange` that of a tab. */
export function createSurface(
  window: WindowContext,
  id: string,
  sessions: ChatSurfaceDeps['sessions'],
  onTabChange?: () => void,
): ChatSurface {
  const { catalog, terminal, project, servers, agents, localization, log } = window;
  return new ChatSurface(id, {
    gateway: window.gateway,
    sessions,
    store: window.history.status,
    models: window.models,
    editor: window.editor,
    log,
    files: window.changedFiles,
    terminal,
    attachments: window.attachments,
    starters: window.starters,
    contextFiles: () => project.inContext,
    agentCommands: async (model, sessionId) => (await agents.current?.commands(model, sessionId)) ?? null,
    customAgents: (model) =>
      model !== null && catalog.providerNamed(model.slice(0, model.indexOf('/')))?.kind === 'agent'
        ? null
        : project.agents((names) => (model === null ? null : catalog.ofFiles.known(names, model))),
    reports: window.reports,
    sync: window.sync,
    isTab: onTabChange !== undefined,
    onChange: () => {
      window.shownChanges.fire();
      onTabChange?.();
    },
    surroundings: () => ({
      restricted: !vscode.workspace.isTrusted,
      folderName: vscode.workspace.name ?? null,
      isVirtual:
        vscode.workspace.workspaceFolders?.[0] !== undefined &&
        vscode.workspace.workspaceFolders[0].uri.scheme !== 'file',
      features: window.features,
      demoPrompts: demoPrompts(),
      localization,
      promptFiles: [...project.offered, ...(servers.current?.offers.prompts ?? [])],
      commands: terminal.inBackground,
      ...(terminal.sandboxState === null ? {} : { sandbox: terminal.sandboxState }),
    }),
  });
}
