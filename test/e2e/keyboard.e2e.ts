import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { expectFocus, focusIn } from './keyboardFocus';
import { KeyboardHands } from './keyboardHands';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let hands: KeyboardHands;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
    'hermes.model': 'Local/test-model',
  },
  viewport: { width: 1500, height: 900 },
}));

beforeAll(async () => {
  hands = await KeyboardHands.openChat(vscode(), vscode().sampleFolder());
});

const question = (command: string): Promise<void> => expectFocus(hands.panel.frame, 'alertdialog', `Run ${command}?`);
const decisions = (): readonly unknown[] =>
  readStateDb(
    vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '',
    'SELECT decision FROM approvals ORDER BY decided_at',
  ).map((row) => row['decision']);

test('a key opens the chat, which is asked and stopped; focus stays in the composer', async () => {
  await hands.command('Explorer: Focus on Folders View');
  await waitFor('the chat to give the focus away', async () => !(await focusIn(hands.panel.frame)).inView);
  await hands.press('Control+k', 'h');
  await hands.onComposer();
  const empty = await hands.findings();
  server.script(reply().says(numberedWords('s', 500), { every: 20 }).hangs());
  await hands.type('Count to five hundred');
  await hands.press('Enter');
  await hands.panel.waitForAnswer('some words', (text) => text.length > 100);
  await hands.onComposer();
  await hands.press('Escape');
  await hands.panel.sees(/You stopped this answer/);
  await hands.onComposer();
  expect([empty, await hands.findings()]).toEqual([[], []]);
});

test('a chord on the card, or Tab and Enter, allows what the agent asks; then focus returns to the composer', async () => {
  server.script(reply().calls('run_command', { command: 'mkdir one' }), reply().says('Ran one.'));
  await hands.type('Run one');
  await hands.press('Enter');
  await question('mkdir one');
  const found = await hands.findings();
  // A card ignores such keys for its first half second: they were meant for what was there before.
  await hands.panel.workbench.page.waitForTimeout(600);
  await hands.press('Control+Enter');
  await hands.answered('Ran one.');
  await hands.onComposer();
  server.script(reply().calls('run_command', { command: 'mkdir two' }), reply().says('Ran two.'));
  await hands.type('Run two');
  await hands.press('Enter');
  await question('mkdir two');
  await hands.tabTo('button', 'Allow Once');
  await hands.picture('allow-once');
  await hands.press('Enter');
  await hands.answered('Ran two.');
  await hands.onComposer();
  expect(found).toEqual([]);
});

test('the user denies what the agent asks, with a reason that the agent gets; Escape closes the field first', async () => {
  server.script(reply().calls('run_command', { command: 'mkdir three' }), reply().says('Then not.'));
  await hands.type('Run three');
  await hands.press('Enter');
  await question('mkdir three');
  await hands.tabTo('button', 'Deny with Reason…');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Reason');
  await hands.press('Escape');
  await question('mkdir three');
  await hands.panel.frame.getByRole('textbox', { name: 'Reason' }).waitFor({ state: 'detached' });
  await hands.tabTo('button', 'Deny with Reason…');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Reason');
  await hands.type('Two are enough');
  await hands.press('Enter');
  await hands.answered('Then not.');
  await hands.onComposer();
  expect([
    decisions().map((decision): unknown => JSON.parse(String(decision))),
    server.requests.at(-1)?.outline.join('\n').includes('Two are enough'),
  ]).toEqual([
    [
      { kind: 'allow', scope: 'once' },
      { kind: 'allow', scope: 'once' },
      { kind: 'deny', reason: 'Two are enough' },
    ],
    true,
  ]);
});
