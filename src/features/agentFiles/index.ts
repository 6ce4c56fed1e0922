import * as vscode from 'vscode';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import type { FileModel } from '../../models/catalog/fileModels';
import { HooksHost } from './host/hooksHost';
import { readHereReport } from './host/readHere';

/** What a team keeps for agents beyond rules: hooks, and the report of everything that was found. */
export function register(window: WindowContext): void {
  const { own, project, catalog, gateway, turnHooks, log } = window;
  const host = new HooksHost(window);
  const readHere = async (): Promise<void> => {
    await project.ready();
    const { agents, prompts } = project.current;
    const model = window.activeChat.surface.modelState.chosen?.ref ?? null;
    const found = new Map<readonly string[], FileModel>();
    for (const { models = [] } of model === null ? [] : [...agents, ...prompts])
      found.set(models, await catalog.ofFiles.find(models, model ?? ''));
    const modelOf = (names: readonly string[]): FileModel => found.get(names) ?? { kind: 'inherit' };
    const content = readHereReport(project.current, vscode.workspace.isTrusted, [await host.report()], modelOf);
    const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
    await vscode.commands.executeCommand('markdown.showPreview', document.uri);
  };
  own(turnHooks.fill(host));
  own(
    gateway.surfaces.onDidTurnEvent(({ event }) => {
      if (event.kind === 'approvalRequested') host.asked(event.approval);
    }),
  );
  own(registerCommands({ readHere, reviewHooks: () => host.review() }, log));
}
