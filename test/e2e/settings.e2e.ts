import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { reply, startModelServer } from '../support/modelServer';
import { ChatPanel } from './chatPanel';
import { test } from './vscodeTest';

function writeWorkspaceSettings(folder: string, settings: object): void {
  fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
}

test('a workspace that names endpoints is not obeyed, and the person is told', async ({ startVscode }) => {
  const [own, foreign] = [await startModelServer(), await startModelServer()];
  try {
    own.otherwise(reply().says('From the endpoint of the person.'));
    const vscode = await startVscode({
      settings: { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: own.url }], 'hermes.model': 'Local/test-model' },
    });
    const folder = vscode.sampleFolder();
    writeWorkspaceSettings(folder, { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: foreign.url }], 'hermes.model': 'Local/other' });
    const panel = await ChatPanel.open(await vscode.open(folder));
    await panel.sees(/\.vscode\/settings\.json sets `hermes\.providers`\. It is ignored/);
    await panel.send('Who are you?');
    const answer = await panel.waitForAnswer('the answer', (text) => text !== '');
    expect({ answer, foreign: foreign.requests.length }).toEqual({ answer: 'From the endpoint of the person.', foreign: 0 });
  } finally {
    await Promise.all([own.close(), foreign.close()]);
  }
});

test('a setting that cannot be used is named, with the way to correct it', async ({ startVscode }) => {
  const vscode = await startVscode({ settings: { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: 'localhost:11434' }] } });
  const workbench = await vscode.open(vscode.sampleFolder());
  const panel = await ChatPanel.open(workbench);
  await panel.sees(/Entry 1 of the setting `hermes\.providers` \(“Local”\) is ignored: baseUrl is not a web address/);
  vscode.settings.update({ 'hermes.providers': [] });
  await workbench.reload();
  const corrected = await ChatPanel.attach(workbench);
  await corrected.sees('Choose what answers');
  expect(await corrected.frame.getByText(/Entry 1 of the setting/).count()).toBe(0);
});

test('in Restricted Mode Hermes reads and answers, and says that it is restricted', async ({ startVscode }) => {
  const vscode = await startVscode({ workspaceTrust: true, settings: { 'hermes.model': 'Demo/script', 'security.workspace.trust.startupPrompt': 'never' } });
  const panel = await ChatPanel.open(await vscode.open(vscode.sampleFolder()));
  await panel.sees(/Restricted Mode/);
  await panel.send('Search for "waitBefore"');
  expect(await panel.waitForAnswer('what was found', (text) => text.includes('src/retry.js'))).toContain('waitBefore');
});

test('without a folder Hermes talks, says that there are no files, and keeps the session', async ({ startVscode }) => {
  const vscode = await startVscode({ settings: { 'hermes.model': 'Demo/script' } });
  const workbench = await vscode.open();
  const panel = await ChatPanel.open(workbench);
  await panel.sees(/No folder is open/);
  await panel.send('What is in this folder?');
  const answer = await panel.waitForAnswer('the answer', (text) => text !== '' && !text.endsWith(' '));
  await workbench.reload();
  const again = await ChatPanel.attach(workbench);
  const kept = await again.waitForAnswer('the answer after the reload', (text) => text !== '');
  expect(kept.startsWith(answer)).toBe(true);
});
