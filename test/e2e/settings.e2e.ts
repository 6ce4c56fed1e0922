import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import type { Settings, Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { sharedVscode, windowOn } from './vscodeTest';

let own: ModelServer;
let foreign: ModelServer;
beforeAll(async () => {
  [own, foreign] = [await startModelServer(), await startModelServer()];
});
afterAll(() => Promise.all([own.close(), foreign.close()]));

const vscode = sharedVscode(() => ({}));

/** A window that has just been opened, on a folder of its own or on none, with these settings of the user and no others. */
const windowWith = (settings: Settings, folder?: string): Promise<Workbench> =>
  windowOn(vscode(), folder, { 'hermes.providers': undefined, 'hermes.model': undefined, ...settings });

function writeWorkspaceSettings(folder: string, settings: object): void {
  fs.mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  fs.writeFileSync(path.join(folder, '.vscode', 'settings.json'), JSON.stringify(settings));
}

test('a workspace that names endpoints is ignored, and the user is notified', async () => {
  own.otherwise(reply().says('From the endpoint of the person.'));
  const folder = vscode().sampleFolder('names-endpoints');
  writeWorkspaceSettings(folder, {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: foreign.url }],
    'hermes.model': 'Local/other',
  });
  const panel = await ChatPanel.open(
    await windowWith(
      {
        'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: own.url }],
        'hermes.model': 'Local/test-model',
      },
      folder,
    ),
  );
  await panel.sees(/\.vscode\/settings\.json sets `hermes\.providers`, but Hermes ignores it/);
  await panel.send('Who are you?');
  const answer = await panel.waitForSettledAnswer('the answer');
  expect({ answer: answer.text, foreign: foreign.requests.length }).toEqual({
    answer: 'From the endpoint of the person.',
    foreign: 0,
  });
});

test('an invalid setting is named, with the way to correct it', async () => {
  const workbench = await windowWith(
    { 'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: 'localhost:11434' }] },
    vscode().sampleFolder('cannot-be-used'),
  );
  const panel = await ChatPanel.open(workbench);
  await panel.sees(/Entry 1 of the setting `hermes\.providers` \(“Local”\) is ignored: baseUrl is not a web address/);
  vscode().settings.update({ 'hermes.providers': [] });
  await workbench.reload();
  const corrected = await ChatPanel.attach(workbench);
  await corrected.sees('Choose a model');
  expect(await corrected.frame.getByText(/Entry 1 of the setting/).count()).toBe(0);
});

test('without a folder Hermes answers, says that there are no files, and keeps the session', async () => {
  const workbench = await windowWith({ 'hermes.model': 'Demo/script' });
  const panel = await ChatPanel.open(workbench);
  await panel.sees(/No folder is open/);
  await panel.send('What is in this folder?');
  const answer = await panel.waitForSettledAnswer('the answer');
  const again = await panel.reload();
  expect(await again.waitForSettledAnswer('the answer after the reload')).toMatchObject({
    text: answer.text,
    state: 'saved',
  });
});
