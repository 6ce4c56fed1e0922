import path from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { projectRoot, waitFor, type Workbench } from '../support/vscode';
import { axeFindings } from '../support/webviewPreview/audit';
import { ChatPanel } from './chatPanel';
import { expectFocus, focusIn, walkTo } from './keyboardFocus';
import { sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let workbench: Workbench;
let panel: ChatPanel;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }, { id: 'second-model' }] }], 'hermes.model': 'Local/test-model',
  },
  viewport: { width: 1500, height: 900 },
}));
const picture = (name: string): Promise<string> => workbench.screenshot(path.join(projectRoot(), '.vscode-test/screenshots/keyboard'), name);

/** The mouse is not touched in this file: everything goes through here. */
const keys = {
  press: async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await workbench.page.keyboard.press(name);
  },
  type: (text: string): Promise<void> => workbench.page.keyboard.type(text),
};
const tabTo = (role: string, name: string | RegExp, frame: FrameLocator = panel.frame): Promise<void> => walkTo(frame, () => keys.press('Tab'), role, name);

/** A command by its title in the palette. */
async function palette(title: string): Promise<void> {
  const input = workbench.page.locator('.quick-input-widget input.input');
  await waitFor(`the command "${title}" to come first`, async () => {
    await keys.press('F1');
    await input.waitFor({ timeout: 3000 });
    await keys.press('ControlOrMeta+A');
    await keys.type(`>${title}`);
    return workbench.page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: title.replace('Hermes: ', '') }).first().waitFor({ timeout: 3000 }).then(() => true, () => false);
  });
  await keys.press('Enter');
}

async function answered(answer: string): Promise<void> {
  await panel.waitForAnswer(`the answer "${answer}"`, (text) => text.includes(answer));
  await panel.button(/^Send$/).waitFor();
}

const onComposer = (): Promise<void> => expectFocus(panel.frame, 'textbox', 'Message');
const findings = async (frame: FrameLocator): Promise<readonly string[]> => {
  const inside = await (await frame.locator('body').elementHandle())?.ownerFrame();
  if (inside === null || inside === undefined) throw new Error('The view is gone');
  return axeFindings(inside);
};

beforeAll(async () => {
  const folder = vscode().sampleFolder();
  workbench = await vscode().open(folder).catch(() => vscode().open(folder));
  await palette('Hermes: Focus Chat');
  panel = await ChatPanel.attach(workbench);
}, 300_000);

test('the chat is reached by its key, asked, and stopped; the focus stays where one writes', async () => {
  await palette('Explorer: Focus on Folders View');
  await waitFor('the chat to give the focus away', async () => !(await focusIn(panel.frame)).inView);
  await keys.press('Control+k', 'h');
  await onComposer();
  const empty = await findings(panel.frame);
  server.script(reply().says(numberedWords('s', 500), { every: 20 }));
  await keys.type('Count to five hundred');
  await keys.press('Enter');
  await panel.waitForAnswer('some words', (text) => text.length > 100);
  await onComposer();
  await keys.press('Escape');
  await panel.sees(/You stopped this answer/);
  await onComposer();
  expect([empty, await findings(panel.frame)]).toEqual([[], []]);
});

test('what the agent asks is allowed by a chord on the card, and by Tab and Enter; then one writes on', async () => {
  server.script(reply().calls('run_command', { command: 'mkdir one' }), reply().says('Ran one.'));
  await keys.type('Run one');
  await keys.press('Enter');
  await expectFocus(panel.frame, 'alertdialog', 'Allow running mkdir one?');
  const found = await findings(panel.frame);
  await keys.press('Control+Enter');
  await answered('Ran one.');
  await onComposer();
  server.script(reply().calls('run_command', { command: 'mkdir two' }), reply().says('Ran two.'));
  await keys.type('Run two');
  await keys.press('Enter');
  await expectFocus(panel.frame, 'alertdialog', 'Allow running mkdir two?');
  await tabTo('button', 'Allow Once');
  await picture('allow-once');
  await keys.press('Enter');
  await answered('Ran two.');
  await onComposer();
  expect(found).toEqual([]);
});
