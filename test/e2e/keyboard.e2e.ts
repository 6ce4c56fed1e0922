import { beforeAll, expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor } from '../support/vscode';
import { expectFocus, focusIn } from './keyboardFocus';
import { KeyboardHands } from './keyboardHands';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode, query } = await scriptedVscode({
  models: ['test-model', 'second-model'],
  viewport: { width: 1500, height: 900 },
});
let hands: KeyboardHands;

beforeAll(async () => {
  hands = await KeyboardHands.openChat(vscode(), vscode().sampleFolder());
});

const question = (command: string): Promise<void> => expectFocus(hands.panel.frame, 'alertdialog', `Run ${command}?`);
const decisions = (): readonly unknown[] =>
  query('SELECT decision FROM approvals ORDER BY decided_at').map((row) => row['decision']);
const queued = (): readonly unknown[] => query('SELECT text FROM queue ORDER BY place').map((row) => row['text']);
/** Stored messages of the session that began last, oldest first. Hidden ones begin with why. */
const stored = (): readonly string[] =>
  query(
    'SELECT content, active, hidden_reason AS reason FROM messages WHERE session_id = (SELECT id FROM sessions ORDER BY started_at DESC LIMIT 1) ORDER BY position',
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );

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
  await waitFor('the chord to be taken', async () => {
    await hands.press('Control+Enter');
    return !(await hands.panel.frame.getByRole('alertdialog').isVisible());
  });
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
  await hands.tabTo('button', 'More Actions…');
  await hands.press('Enter');
  await hands.panel.button('Deny with Reason…').waitFor();
  await hands.tabTo('button', 'Deny with Reason…');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Reason');
  await hands.press('Escape');
  await question('mkdir three');
  await hands.panel.frame.getByRole('textbox', { name: 'Reason' }).waitFor({ state: 'detached' });
  await hands.tabTo('button', 'More Actions…');
  await hands.press('Enter');
  await hands.panel.button('Deny with Reason…').waitFor();
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

test('a prompt is edited, and the edit canceled, from the row of buttons above it', async () => {
  await hands.newSession();
  server.script(reply().says('Black tea.'), reply().says('Green tea.'));
  await hands.ask('Which tea', 'Black tea.');
  await hands.backTo('button', 'Edit & Resend');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Edit prompt');
  await hands.press('Escape');
  await expectFocus(hands.panel.frame, 'button', 'Edit & Resend');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Edit prompt');
  await hands.type(' is green');
  await hands.press('Enter');
  await hands.answered('Green tea.');
  await hands.onComposer();
  await hands.panel.shows('Which tea is green', 'Green tea.');
  expect(stored()).toEqual(['edited: Which tea', 'edited: Black tea.', 'Which tea is green', 'Green tea.']);
});

test('a prompt is rewound: Enter answers the question, and the prompt is in the composer', async () => {
  server.script(reply().says('Mint.'));
  await hands.ask('And another', 'Mint.');
  await hands.backTo('button', 'Edit & Resend');
  await hands.along('button', 'Rewind to Here…');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'button', 'Rewind');
  await hands.press('Escape');
  await expectFocus(hands.panel.frame, 'button', 'Rewind to Here…');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'button', 'Rewind');
  await hands.press('Enter');
  await hands.panel.composerHas('And another');
  await hands.onComposer();
  await hands.panel.shows('Which tea is green', 'Green tea.');
  expect(stored().slice(-2)).toEqual(['rewound: And another', 'rewound: Mint.']);
});

test('a prompt typed right after /new goes to the new session', async () => {
  await hands.newSession();
  server.script(reply().says('Oak.'), reply().says('Beech.'));
  await hands.ask('One tree', 'Oak.');
  await hands.type('/new');
  await hands.press('Enter');
  await hands.type('A third tree');
  await hands.press('Enter');
  await hands.answered('Beech.');
  await hands.panel.shows('A third tree', 'Beech.');
  expect([
    stored(),
    query("SELECT count(*) AS n FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title = 'One tree'"),
  ]).toEqual([['A third tree', 'Beech.'], [{ n: 2 }]]);
});

test('queued prompts can be edited and removed; focus stays in the list and returns to the composer after the last one', async () => {
  await hands.newSession();
  server.script(reply().says(numberedWords('q', 100), { every: 30 }).hangs());
  await hands.type('Count');
  await hands.press('Enter');
  await hands.panel.waitForAnswer('some words', (text) => text.length > 50);
  for (const text of ['first', 'second']) {
    await hands.type(text);
    await hands.press('Enter');
    await hands.panel.frame.getByRole('list', { name: 'Queued messages' }).getByText(text).waitFor();
  }
  await hands.backTo('button', 'Remove');
  await hands.press('Enter');
  await waitFor('the second to be gone', () => JSON.stringify(queued()) === JSON.stringify(['first']));
  await expectFocus(hands.panel.frame, 'button', 'Remove');
  await hands.backTo('button', 'Edit');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'textbox', 'Edit queued message');
  await hands.press('End');
  await hands.type(' of all');
  await hands.press('Enter');
  await expectFocus(hands.panel.frame, 'button', 'Edit');
  const changed = queued();
  await hands.tabTo('button', 'Remove');
  await hands.press('Enter');
  await hands.onComposer();
  await hands.press('Escape');
  await hands.panel.sees(/You stopped this answer/);
  await hands.onComposer();
  expect([changed, queued()]).toEqual([['first of all'], []]);
});

test('the user chooses another model and mode; the mode is stored, and the next prompt goes to that model', async () => {
  await hands.newSession();
  server.script(reply().says('From the first.'), reply().says('From the second.'));
  await hands.ask('Who answers', 'From the first.');
  await hands.tabTo('combobox', 'Mode');
  await hands.press('ArrowDown', 'End', 'Enter');
  await expectFocus(hands.panel.frame, 'combobox', 'Mode');
  await hands.picture('mode');
  await waitFor(
    'the mode to be stored',
    () => query('SELECT mode FROM sessions ORDER BY started_at DESC LIMIT 1')[0]?.['mode'] === 'plan',
  );
  await hands.backTo('combobox', 'Model');
  await hands.press('ArrowDown');
  await expectFocus(hands.panel.frame, 'combobox', 'Search Models');
  await hands.type('second');
  await hands.panel.frame.getByRole('option', { name: /second-model/, selected: true }).waitFor();
  await hands.picture('models');
  await hands.press('Enter');
  await hands.panel.answersWith('second-model');
  await hands.onComposer();
  await hands.ask('And now', 'From the second.');
  expect(query('SELECT model FROM turns ORDER BY started_at DESC LIMIT 1')).toEqual([{ model: 'Local/second-model' }]);
});

test('code of an answer is copied, and arrow keys walk its row of buttons', async () => {
  await hands.newSession();
  server.script(reply().says('Here:\n\n```js\nconst one = 1;\n```\n\nThat is all.'));
  await hands.ask('Some code', 'That is all.');
  // They come behind the answer, when there is time.
  await hands.panel.button('Copy Code').waitFor({ state: 'attached' });
  await hands.backTo('button', 'Wrap Lines');
  await hands.along('button', 'Copy Code');
  await hands.press('Enter');
  const copied = await waitFor('the code in the clipboard', async () =>
    [await hands.workbench.page.evaluate(() => navigator.clipboard.readText())].find((text) =>
      text.startsWith('const'),
    ),
  );
  await expectFocus(hands.panel.frame, 'button', 'Copy Code');
  await hands.picture('copied');
  expect([copied.trimEnd(), await hands.findings()]).toEqual(['const one = 1;', []]);
});
