import * as vscode from 'vscode';
import { registerCommands } from '../../host/common/commands';
import type { WindowDeps } from '../../host/window/windowParts';
import { HooksHost } from './host/hooksHost';
import { readHereReport } from './host/readHere';

/** What a team keeps for agents beyond rules: hooks, and the report of everything that was found. */
export function register({ own, context, project, terminal, gateway, hooks, history, clock, log }: WindowDeps): void {
  const host = new HooksHost({
    project,
    terminal,
    gateway,
    memory: context.workspaceState,
    storageFolder: () => history.folder,
    clock,
    log,
  });
  const readHere = async (): Promise<void> => {
    await project.ready();
    const content = readHereReport(project.current, vscode.workspace.isTrusted, [host.report]);
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.commands.executeCommand('markdown.showPreview', document.uri);
  };
  own(hooks.fill(host));
  own(registerCommands({ readHere, reviewHooks: () => host.review() }, log));
}
