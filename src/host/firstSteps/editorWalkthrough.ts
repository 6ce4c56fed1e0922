import * as vscode from 'vscode';
import { Walkthrough, type WalkthroughDeps } from './walkthrough';

/** Creates the walkthrough of this window. */
export function editorWalkthrough(
  context: vscode.ExtensionContext,
  gateway: WalkthroughDeps['gateway'],
  sessions: WalkthroughDeps['sessions'],
): Walkthrough {
  const walkthrough = `${context.extension.id}#getStarted`;
  return new Walkthrough({
    gateway,
    sessions,
    memory: context.globalState,
    setContext: (key, value) => void vscode.commands.executeCommand('setContext', key, value),
    openWalkthrough: async () =>
      void (await vscode.commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false)),
    // The editor's own command for "Mark Done". An editor without this command leaves the step's circle empty, which is
    // harmless.
    tickOff: async (step) =>
      void (await vscode.commands
        .executeCommand('welcome.markStepComplete', `${walkthrough}#${step}`)
        .then(undefined, () => undefined)),
  });
}
