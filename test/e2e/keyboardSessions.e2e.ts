import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor } from '../support/vscode';
import { expectFocus, focusIn } from './keyboardFocus';
import { KeyboardHands } from './keyboardHands';
import { scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

const { server, vscode, query } = await scriptedVscode({ viewport: { width: 1500, height: 900 } });
const saved = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-keyboard-'));
afterAll(() => fs.rmSync(saved, { recursive: true, force: true }));
let hands: KeyboardHands;
/** A tab of ours that is in front. */
const tab = () => hands.workbench.editorWebview(EXTENSION_ID, 0);

beforeAll(async () => {
  hands = await KeyboardHands.openChat(vscode(), vscode().sampleFolder());
  server.script(reply().says('In the haystack.'), reply().says('In the box.'), reply().says('Nowhere.'));
  await hands.ask('Where is the needle', 'In the haystack.');
  await hands.ask('Where is the thread', 'In the box.');
  await hands.newSession();
  await hands.ask('Something else', 'Nowhere.');
});

test('typing a word of a session resumes it, and focus goes to its composer', async () => {
  await hands.command('Hermes: Resume Session…');
  await hands.choose('Where is the needle', 'needle');
  await hands.panel.sees('In the haystack.');
  await hands.onComposer();
  server.script(reply().says('Still there.'));
  await hands.ask('And now', 'Still there.');
  await hands.onComposer();
  expect(
    query("SELECT s.title FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.content = 'And now'"),
  ).toEqual([{ title: 'Where is the needle' }]);
});

test('all sessions are searched; a found message opens, and focus is on it', async () => {
  await hands.newSession();
  await hands.command('Hermes: Search in Sessions');
  await expectFocus(tab(), 'textbox', 'Search all sessions');
  await hands.type('thread');
  const hits = tab().locator('[data-result]');
  await waitFor('the prompt that was found', async () => (await hits.count()) === 1);
  await hands.press('ArrowDown');
  await waitFor('the focus in the results', async () => (await focusIn(tab())).name !== 'Search all sessions');
  await hands.picture('found');
  for (
    let steps = 0;
    steps < 5 && !(await hits.first().evaluate((hit) => hit.contains(hit.ownerDocument.activeElement)));
    steps++
  )
    await hands.press('ArrowDown');
  const found = await hands.findings(tab());
  await hands.press('Enter');
  await hands.panel.sees('In the box.');
  await waitFor('the chat to have the keys', async () => (await focusIn(hands.panel.frame)).inView);
  await hands.picture('opened-hit');
  // The message is scrolled to before it gets the focus.
  await waitFor('the focus on the message', async () => (await focusIn(hands.panel.frame)).role === 'article');
  expect(found).toEqual([]);
});

test('keys walk the transcript row by row, open a row as the file holds it, and show it in the chat', async () => {
  await hands.command('Hermes: Open Transcript');
  await waitFor('the transcript', async () =>
    (await hands.workbench.tabs()).some((title) => title.startsWith('Transcript: ')),
  );
  const rows = tab().locator('[role=row][data-uid]');
  await waitFor('all rows', async () => (await rows.count()) === 6);
  await expectFocus(tab(), 'textbox', 'Find');
  await hands.picture('transcript');
  await hands.tabTo('row', /./, tab());
  await hands.press('Home', 'ArrowDown');
  await expectFocus(tab(), 'row', /In the haystack/);
  await hands.press('Enter');
  await tab().getByRole('region', { name: 'Raw Row 2' }).waitFor();
  await hands.picture('raw');
  await expectFocus(tab(), 'row', /In the haystack/);
  await hands.press('Control+Enter');
  await waitFor('the chat to have the keys', async () => (await focusIn(hands.panel.frame)).inView);
  await waitFor('the focus on the message', async () => (await focusIn(hands.panel.frame)).role === 'article');
});

test('the save dialog exports a session, after which focus is in the editor; a key returns to the chat', async () => {
  await hands.command('Hermes: Focus Chat');
  await hands.onComposer();
  await hands.command('Hermes: Export… › Export Session…');
  await hands.choose('JSON');
  await hands.choose('Mask Secrets');
  const file = path.join(saved, 'needle.json');
  await hands.saveAs(file);
  await waitFor('the file', () => fs.existsSync(file));
  await hands.picture('exported');
  const exported: { format: string; rows: { table: string; row: { role?: string } }[] } = JSON.parse(
    fs.readFileSync(file, 'utf8'),
  );
  expect([
    exported.format,
    exported.rows.filter(({ table }) => table === 'messages').map(({ row }) => row.role),
  ]).toEqual(['hermes-sessions', ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']]);
  // The editor's own dialog gives the focus to the group of editors, whoever had it before.
  await expectFocus(tab(), 'row', /In the haystack/);
  await hands.press('Control+k', 'h');
  await hands.onComposer();
  expect(hands.workbench.errors()).toEqual([]);
});
