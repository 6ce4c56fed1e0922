import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import { readStateDb, waitFor } from '../support/vscode';
import { expectFocus } from './keyboardFocus';
import { KeyboardHands } from './keyboardHands';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';
import { numberedWords } from './words';

let server: ModelServer;
let hands: KeyboardHands;

beforeAll(async () => {
  server = await startModelServer({ models: ['test-model', 'second-model'] });
});
afterAll(() => server.close());

const vscode = sharedVscode(() => ({
  settings: {
    'hermes.providers': [
      {
        name: 'Local',
        protocol: 'openai',
        baseUrl: server.url,
        models: [{ id: 'test-model' }, { id: 'second-model' }],
      },
    ],
    'hermes.model': 'Local/test-model',
  },
  viewport: { width: 1500, height: 900 },
}));
const query = (sql: string) => readStateDb(vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
const queued = (): readonly unknown[] => query('SELECT text FROM queue ORDER BY place').map((row) => row['text']);
/** Stored messages of the session that began last, oldest first. Hidden ones begin with why. */
const stored = (): readonly string[] =>
  query(
    'SELECT content, active, hidden_reason AS reason FROM messages WHERE session_id = (SELECT id FROM sessions ORDER BY started_at DESC LIMIT 1) ORDER BY position',
  ).map((row) =>
    row['active'] === 1 ? String(row['content']) : `${String(row['reason'])}: ${String(row['content'])}`,
  );
const showing = (...wanted: readonly string[]): Promise<unknown> =>
  waitFor(
    `the messages ${wanted.join(', ')}`,
    async () => JSON.stringify((await hands.panel.messages()).map(({ text }) => text)) === JSON.stringify(wanted),
  );

beforeAll(async () => {
  hands = await KeyboardHands.openChat(vscode(), vscode().sampleFolder());
});

test('a prompt is edited, and the edit canceled, from the row of buttons above it', async () => {
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
  await showing('Which tea is green', 'Green tea.');
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
  await hands.composerHas('And another');
  await hands.onComposer();
  await showing('Which tea is green', 'Green tea.');
  expect(stored().slice(-2)).toEqual(['rewound: And another', 'rewound: Mint.']);
});

test('an answer is branched, and the origin opened again', async () => {
  await hands.newSession();
  server.script(reply().says('Oak.'), reply().says('Elm.'));
  await hands.ask('One tree', 'Oak.');
  await hands.backTo('button', 'Retry');
  await hands.along('button', 'Branch from Here');
  await hands.press('Enter');
  await hands.panel.sees('Branched from “One tree”');
  await hands.onComposer();
  await hands.ask('Another tree', 'Elm.');
  const branch = stored();
  await hands.backTo('button', 'Branched from “One tree”');
  await hands.press('Enter');
  await showing('One tree', 'Oak.');
  await hands.onComposer();
  expect([branch, query('SELECT title, parent_kind AS kind FROM sessions ORDER BY started_at DESC LIMIT 2')]).toEqual([
    ['One tree', 'Oak.', 'Another tree', 'Elm.'],
    [
      { title: 'One tree #2', kind: 'branch' },
      { title: 'One tree', kind: null },
    ],
  ]);
});

test('a prompt typed right after /new goes to the new session', async () => {
  server.script(reply().says('Beech.'));
  await hands.type('/new');
  await hands.press('Enter');
  await hands.type('A third tree');
  await hands.press('Enter');
  await hands.answered('Beech.');
  await showing('A third tree', 'Beech.');
  expect([
    stored(),
    query("SELECT count(*) AS n FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.title LIKE 'One tree%'"),
  ]).toEqual([['A third tree', 'Beech.'], [{ n: 6 }]]);
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
