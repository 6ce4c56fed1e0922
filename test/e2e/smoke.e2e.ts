import { expect, inject } from 'vitest';
import { EXTENSION_ID, test } from './vscodeTest';

test('the installed package shows its chat in the secondary side bar', async ({ startVscode }) => {
  const vscode = await startVscode({ vsix: [inject('vsix')] });
  const workbench = await vscode.open(vscode.sampleFolder());

  await workbench.runCommand('Hermes: Focus Chat');
  const chat = await workbench.waitForWebview(EXTENSION_ID);
  await chat.getByRole('textbox', { name: 'Message' }).waitFor();

  expect({
    installed: vscode.server.installedExtensions().filter((extension) => extension.startsWith(EXTENSION_ID)).length,
    titles: await workbench.page
      .locator('#workbench\\.parts\\.auxiliarybar .composite-bar .action-label')
      .allTextContents(),
    errors: workbench.errors(),
  }).toEqual({ installed: 1, titles: ['Hermes'], errors: [] });
});
