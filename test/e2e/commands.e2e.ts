import { expect } from 'vitest';
import { reply, startModelServer } from '../support/modelServer';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, test } from './vscodeTest';

test('sessions are begun, renamed, resumed and read as a transcript by commands, also after a reload', async ({ startVscode }) => {
  const server = await startModelServer();
  try {
    server.otherwise(reply().says('Noted.'));
    const vscode = await startVscode({
      settings: { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }], 'hermes.model': 'Local/test-model' },
    });
    const workbench = await vscode.open(vscode.sampleFolder());
    const panel = await ChatPanel.open(workbench);
    const say = async (prompt: string): Promise<void> => {
      await panel.send(prompt);
      await panel.waitForAnswer(`the answer to "${prompt}"`, (text) => text === 'Noted.');
    };
    await say('First prompt');
    await workbench.runCommand('Hermes: New Session');
    await panel.sees('Try asking');
    await say('Second prompt');
    await workbench.runCommand('Hermes: Rename Session');
    await workbench.typeIntoQuickInput('The second');
    await panel.sees('The second');

    await workbench.runCommand('Hermes: Resume Session');
    await workbench.quickInputRow('First prompt').click();
    await panel.sees('First prompt');
    await panel.frame.getByText('Second prompt').waitFor({ state: 'detached' });

    await workbench.runCommand('Hermes: Open Transcript');
    const rows = async (): Promise<readonly string[]> => {
      const tab = await workbench.waitForWebview(EXTENSION_ID, 'editor');
      await tab.getByRole('row').filter({ hasText: 'Noted.' }).waitFor();
      return tab.locator('[role=row][data-uid]').allInnerTexts();
    };
    const before = await rows();
    await workbench.reload();
    const again = await ChatPanel.attach(workbench);
    await again.sees('First prompt');
    const after = await rows();
    expect({
      rows: before.map((row) => (row.includes('First prompt') ? 'prompt' : row.includes('Noted.') ? 'answer' : row)),
      same: JSON.stringify(after) === JSON.stringify(before),
      prompts: (await again.prompts()).map(({ text }) => text),
      errors: workbench.errors(),
    }).toEqual({ rows: ['prompt', 'answer'], same: true, prompts: ['First prompt'], errors: [] });
  } finally {
    await server.close();
  }
});

test('Stop ends the answer that is shown and keeps it, and says so when there is none', async ({ startVscode }) => {
  const vscode = await startVscode({ settings: { 'hermes.model': 'Demo/script' } });
  const workbench = await vscode.open(vscode.sampleFolder());
  const panel = await ChatPanel.open(workbench);
  await workbench.runCommand('Hermes: Stop');
  await workbench.waitForToast('Nothing is running');
  await panel.send('Give me a long answer about this folder');
  const shown = await panel.waitForAnswer('the beginning', (text) => text.length > 40);
  await workbench.runCommand('Hermes: Stop');
  await panel.sees(/You stopped this answer/);
  const kept = await panel.lastAnswer();
  expect([kept.startsWith(shown.slice(0, 40)), kept.length >= shown.length]).toEqual([true, true]);
});
